import { boundedText } from '@posthorn/contracts';
import { newId, type Database } from '@posthorn/database';
import { streamDays } from './event-stream.js';

export interface FailedEvent {
  subscriber: string;
  factId: string;
  fact: string;
  payload: object;
  error: string;
}

/** How often an event was tried by itself; `running` when the last try never ended, as one that kills its process. */
export interface Tries {
  tries: number;
  running: boolean;
}

const sweepAtOnce = 5_000;

/** What this service has taken in, and what it could not. */
export class Inbox {
  constructor(private readonly database: Database) {}

  /** Runs the effect on those events that were not taken in before: the rows and the effect commit together, a repeat is a no-op. What is taken in has no tries. */
  async once<F extends { id: string }>(
    subscriber: string,
    events: F[],
    effect: (fresh: F[]) => Promise<void>,
  ): Promise<void> {
    await this.database.transaction(async () => {
      const taken = await this.database.query<{ fact_id: string }>(
        `WITH tried AS (DELETE FROM fact_tries WHERE subscriber = $1 AND fact_id = ANY($2::uuid[]))
         INSERT INTO inbox (subscriber, fact_id) SELECT $1, id FROM unnest($2::uuid[]) AS f (id) ORDER BY id
         ON CONFLICT DO NOTHING RETURNING fact_id`,
        [subscriber, events.map(({ id }) => id)],
      );
      const fresh = new Set(taken.map(({ fact_id }) => fact_id));
      // The relay may have told an event twice, and both may stand side by side: the first one is taken, once.
      if (fresh.size > 0) await effect(events.filter(({ id }) => fresh.delete(id)));
    });
  }

  /** The tries of an event so far. */
  async triesOf(subscriber: string, eventId: string): Promise<Tries> {
    const [row] = await this.database.query<Tries>(
      `SELECT tries, running FROM fact_tries WHERE subscriber = $1 AND fact_id = $2`,
      [subscriber, eventId],
    );
    return row ?? { tries: 0, running: false };
  }

  /** Counts a try before it begins, in a commit of its own: one that kills the process counts too. */
  async beginTry(subscriber: string, eventId: string): Promise<void> {
    await this.database.query(
      `INSERT INTO fact_tries AS known (subscriber, fact_id, tries, running) VALUES ($1, $2, 1, true)
       ON CONFLICT (subscriber, fact_id) DO UPDATE SET tries = known.tries + 1, running = true, at = now()`,
      [subscriber, eventId],
    );
  }

  async endTry(subscriber: string, eventId: string): Promise<void> {
    await this.database.query(
      `UPDATE fact_tries SET running = false WHERE subscriber = $1 AND fact_id = $2`,
      [subscriber, eventId],
    );
  }

  /** Makes a dead letter of the event and its tries. */
  async bury({ subscriber, factId: eventId, fact: event, payload, error }: FailedEvent): Promise<void> {
    await this.database.query(
      `WITH tried AS (DELETE FROM fact_tries WHERE subscriber = $1 AND fact_id = $2 RETURNING tries, first_at)
       INSERT INTO dead_letters AS known (id, subscriber, fact_id, fact, payload, error, attempts, first_at)
       SELECT $6, $1, $2, $3, $4, $5, coalesce(max(tries), 1), coalesce(min(first_at), now()) FROM tried
       ON CONFLICT (subscriber, fact_id) DO UPDATE
         SET error = excluded.error, at = now(), attempts = known.attempts + excluded.attempts`,
      [subscriber, eventId, event, JSON.stringify(payload), contentOf(error), newId()],
    );
  }

  /** A repeat can come for as long as its row is in the outbox, and then for as long as a stream holds it. */
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
    await this.database.query(`DELETE FROM fact_tries WHERE at < now() - make_interval(days => $1)`, [days]);
  }
}

/** An error's words as a column takes them. */
export const contentOf = (error: string): string => boundedText(error, 2_000);
