import { boundedText } from '@posthorn/contracts';
import { newId, type Database } from '@posthorn/database';
import { streamDays } from './stream-settings.js';

export interface FailedEvent {
  subscriber: string;
  eventId: string;
  event: string;
  payload: object;
  error: string;
}

/** `running` where the last attempt never ended, for instance because it killed its process. */
export interface Tries {
  tries: number;
  running: boolean;
}

/** Events of one subscriber, with what they do. */
export interface InboxPart<F> {
  subscriber: string;
  events: F[];
  effect: (fresh: F[]) => Promise<void>;
}

interface TakenRow {
  subscriber: string;
  event_id: string;
}

const sweepAtOnce = 5_000;

const takeSql = `
  WITH requested AS (SELECT * FROM unnest($1::text[], $2::uuid[]) AS r (subscriber, event_id)),
    tried AS (DELETE FROM event_tries USING requested r WHERE event_tries.subscriber = r.subscriber AND event_tries.event_id = r.event_id)
  INSERT INTO inbox (subscriber, event_id) SELECT subscriber, event_id FROM requested ORDER BY subscriber, event_id
  ON CONFLICT DO NOTHING RETURNING subscriber, event_id`;

export class Inbox {
  constructor(private readonly database: Database) {}

  /** Inbox rows and effects commit together, within `limitMs`, so a repeat has no effect. */
  async once<F extends { id: string }>(parts: readonly InboxPart<F>[], limitMs?: number): Promise<void> {
    const takeFresh = async () => {
      const fresh = Map.groupBy(await this.take(parts), ({ subscriber }) => subscriber);
      for (const { subscriber, events, effect } of parts) {
        const ids = new Set(fresh.get(subscriber)?.map((row) => row.event_id));
        // The relay may publish an event twice, and both may arrive in one batch.
        if (ids.size > 0) await effect(events.filter(({ id }) => ids.delete(id)));
      }
    };
    await this.database.transaction(takeFresh, { limitMs });
  }

  /** Without an effect, but with its row: a repetition in days must not find somebody who asks for it by then. */
  async passOver(parts: readonly Omit<InboxPart<{ id: string }>, 'effect'>[]): Promise<void> {
    await this.take(parts);
  }

  private take(parts: readonly Omit<InboxPart<{ id: string }>, 'effect'>[]): Promise<TakenRow[]> {
    const rows = parts.flatMap(({ subscriber, events }) => events.map(({ id }) => ({ subscriber, id })));
    return this.database.prepared<TakenRow>({
      name: 'take events',
      sql: takeSql,
      parameters: [rows.map(({ subscriber }) => subscriber), rows.map(({ id }) => id)],
    });
  }

  async triesOf(subscriber: string, eventId: string): Promise<Tries> {
    const [row] = await this.database.query<Tries>(
      `SELECT tries, running FROM event_tries WHERE subscriber = $1 AND event_id = $2`,
      [subscriber, eventId],
    );
    return row ?? { tries: 0, running: false };
  }

  /** Counts the attempt before it begins, in its own commit, so that one that kills the process counts. */
  async beginTry(subscriber: string, eventId: string): Promise<void> {
    await this.database.query(
      `INSERT INTO event_tries AS known (subscriber, event_id, tries, running) VALUES ($1, $2, 1, true)
       ON CONFLICT (subscriber, event_id) DO UPDATE SET tries = known.tries + 1, running = true, at = now()`,
      [subscriber, eventId],
    );
  }

  async endTry(subscriber: string, eventId: string): Promise<void> {
    await this.database.query(
      `UPDATE event_tries SET running = false WHERE subscriber = $1 AND event_id = $2`,
      [subscriber, eventId],
    );
  }

  async storeDeadLetter({ subscriber, eventId, event, payload, error }: FailedEvent): Promise<void> {
    await this.database.query(
      `WITH tried AS (DELETE FROM event_tries WHERE subscriber = $1 AND event_id = $2 RETURNING tries, first_at)
       INSERT INTO dead_letters AS known (id, subscriber, event_id, event_name, payload, error, attempts, first_at)
       SELECT $6, $1, $2, $3, $4, $5, coalesce(max(tries), 1), coalesce(min(first_at), now()) FROM tried
       ON CONFLICT (subscriber, event_id) DO UPDATE
         SET error = excluded.error, at = now(), attempts = known.attempts + excluded.attempts`,
      [subscriber, eventId, event, JSON.stringify(payload), truncated(error), newId()],
    );
  }

  /** A repeat may come while the row is in the outbox, and then while a stream holds the message. */
  async deleteOld(outboxDays: number): Promise<void> {
    const days = outboxDays + streamDays + 2;
    for (let swept = sweepAtOnce; swept === sweepAtOnce;) {
      const removed = await this.database.query(
        `DELETE FROM inbox WHERE ctid = ANY(ARRAY(
           SELECT ctid FROM inbox WHERE received_at < now() - make_interval(days => $1) LIMIT $2 FOR UPDATE SKIP LOCKED
         )) RETURNING 1`,
        [days, sweepAtOnce],
      );
      swept = removed.length;
    }
    // Another replica may have handled an event whose try here never ended; then it never comes again.
    await this.database.query(
      `DELETE FROM event_tries t USING inbox i WHERE i.subscriber = t.subscriber AND i.event_id = t.event_id`,
    );
    await this.database.query(`DELETE FROM event_tries WHERE at < now() - make_interval(days => $1)`, [days]);
  }
}

export const truncated = (error: string): string => boundedText(error, 2_000);
