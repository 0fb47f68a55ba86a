import { streamOf, type Caller, type ServiceName } from '@posthorn/contracts';
import { lowestIdOf, newId, type Database } from '@posthorn/database';
import { contentOf } from '../events/inbox.repository.js';
import { isWaiting } from './outbox.repository.js';

export interface OutgoingEvent {
  id: string;
  projectId: string;
  fact: string;
  items: object[];
  createdAt: Date;
  traces: string | null;
  actor: Caller['actor'] | null;
  address: string | null;
}

/** A stream as it is seen: two incarnations of one name are told apart by the instant of their making. */
export interface SeenStream {
  incarnation: string;
  lastSequence: number;
}

export interface KnownStream extends SeenStream {
  generation: number;
}

/** What became of each event of a round, by its own acknowledgement. */
export interface Published {
  /** Those that the stream has. */
  acknowledged: string[];
  /** The sequences that the stream gave to what it took as new. */
  sequences: number[];
  failures: PublishFailure[];
}

export interface PublishFailure {
  id: string;
  error: Error;
  /** The bus can `never` take this payload, `refused` it for another reason, or was `away`. */
  kind: 'never' | 'refused' | 'away';
}

type Send = (events: OutgoingEvent[]) => Promise<Published>;
/** `repeat` tells this telling from every other one: JetStream drops what it heard a moment ago under the same name. */
type SendAgain = (events: OutgoingEvent[], repeat: string) => Promise<Published>;

export interface Round {
  /** How many events it had. */
  count: number;
  quarantined: string[];
  /** Of those that stay in the queue. */
  failures: PublishFailure[];
}

interface Repeat {
  id: string;
  since: Date;
  until: Date;
  after: string;
}

/** The stream gave sequences that it had given before: it is not the one that was known, or not all of it. */
export class StreamRewound extends Error {
  constructor(
    name: string,
    readonly generation: number,
  ) {
    super(`${name} has lost facts that it had taken`);
    this.name = 'StreamRewound';
  }
}

/** Rounds in which an event may be refused while others beside it are taken, and for how long at least. */
const maxRefusals = 20;
const minRefused = `interval '10 minutes'`;
const isHopeless = `r.never OR (refusals + 1 >= ${maxRefusals} AND created_at < now() - ${minRefused})`;
const idle: Round = { count: 0, quarantined: [], failures: [] };

const columns = `id, project_id AS "projectId", fact, items, created_at AS "createdAt", traces, actor, address`;
// Ids are minted by the services' clocks, which may be wrong by so much (docs/guarantees.md G22).
const skewMs = 26 * 3_600_000;

/** What of the outbox is on the wire, and in which stream (docs/decisions/0008). */
export class Publishing {
  private readonly name: string;

  constructor(
    private readonly database: Database,
    service: ServiceName,
  ) {
    this.name = streamOf(service);
  }

  /** Whether something is to be published, for the first time or once more: all that is asked at rest. */
  async pending(): Promise<{ fresh: boolean; repeating: boolean }> {
    const [row] = await this.database.query<{ fresh: boolean; repeating: boolean }>(
      `SELECT EXISTS (SELECT FROM outbox WHERE ${isWaiting}) AS fresh, EXISTS (SELECT FROM fact_repeats WHERE name = $1) AS repeating`,
      [this.name],
    );
    return row!;
  }

  async known(): Promise<KnownStream | null> {
    const [row] = await this.database.query<KnownStream>(
      `SELECT generation, incarnation, last_sequence AS "lastSequence" FROM fact_streams WHERE name = $1`,
      [this.name],
    );
    return row ?? null;
  }

  /**
   * Claims what is unpublished, lets `send` publish it, and marks what was acknowledged, in one transaction. Rows whose
   * publishing a loss has overtaken stay unmarked; what the bus can never take is quarantined.
   */
  async publishFresh(limit: number, send: Send): Promise<Round> {
    return this.database.transaction(async () => {
      // A bitmap looks at whatever was published since the last vacuum, each round anew; a plain scan clears it away.
      await this.database.query(`SET LOCAL enable_bitmapscan = off`);
      const events = await this.database.query<OutgoingEvent>(
        `SELECT ${columns} FROM outbox WHERE ${isWaiting} ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED`,
        [limit],
      );
      if (events.length === 0) return idle;
      // Read before anything is sent: a loss that is noted from here on fences the mark.
      const known = await this.known();
      if (!known) return idle;
      const { acknowledged, sequences, failures } = await send(events);
      this.refuseRewound(sequences, known);
      await this.mark(acknowledged, known, Math.max(known.lastSequence, ...sequences));
      const quarantined = await this.quarantine(failures, acknowledged.length > 0);
      return {
        count: events.length,
        quarantined,
        failures: failures.filter(({ id }) => !quarantined.includes(id)),
      };
    });
  }

  /** Notes the stream that is there now and has everything of `since` published once more; false where another replica was first. */
  async renew(known: KnownStream | null, seen: SeenStream, since: Date): Promise<boolean> {
    return this.database.transaction(async () => {
      const renewed = await this.database.query(
        known
          ? `UPDATE fact_streams SET generation = generation + 1, incarnation = $2, last_sequence = $3
             WHERE name = $1 AND generation = $4 RETURNING 1`
          : `INSERT INTO fact_streams (name, generation, incarnation, last_sequence) VALUES ($1, $4, $2, $3) ON CONFLICT DO NOTHING RETURNING 1`,
        [this.name, seen.incarnation, seen.lastSequence, known?.generation ?? 1],
      );
      if (renewed.length === 0) return false;
      await this.repeatSince(since);
      return true;
    });
  }

  /** Has what was published until now and written since then published once more, in the background. */
  async repeatSince(since: Date): Promise<void> {
    // The wall clock and not the transaction's: a mark that this one has waited for may have begun after it. Marks are rounded.
    await this.database.query(
      `INSERT INTO fact_repeats AS known (name, id, since, until, after)
       VALUES ($1, $2, $3, clock_timestamp() + interval '2 milliseconds', $4)
       ON CONFLICT (name) DO UPDATE SET id = excluded.id, until = excluded.until,
         since = least(known.since, excluded.since), after = least(known.after, excluded.after)`,
      [this.name, newId(), since, lowestIdOf(since.getTime() - skewMs)],
    );
  }

  /** How many are still to be published once more. */
  async repeating(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM fact_repeats AS repeat
       JOIN outbox ON outbox.id > repeat.after AND created_at >= repeat.since AND published_at <= repeat.until WHERE name = $1`,
      [this.name],
    );
    return row!.count;
  }

  /** Publishes the next of what is to be repeated, and notes how far it came; answers how many, 0 when nothing is left. */
  async publishAgain(limit: number, send: SendAgain): Promise<number> {
    return this.database.transaction(async () => {
      const [repeat] = await this.database.query<Repeat>(
        `SELECT id, since, until, after FROM fact_repeats WHERE name = $1 FOR UPDATE SKIP LOCKED`,
        [this.name],
      );
      const known = repeat && (await this.known());
      if (!known) return 0;
      const events = await this.database.query<OutgoingEvent>(
        // Held, so that nobody takes an address out of one that is on its way with it.
        `SELECT ${columns} FROM outbox WHERE id > $1 AND created_at >= $2 AND published_at <= $3 ORDER BY id LIMIT $4 FOR SHARE`,
        [repeat.after, repeat.since, repeat.until, limit],
      );
      const { sequences, failures } = await send(events, repeat.id);
      const waiting = failures.find(({ kind }) => kind !== 'never');
      if (waiting) throw waiting.error;
      this.refuseRewound(sequences, known);
      await this.mark([], known, Math.max(known.lastSequence, ...sequences));
      if (events.length < limit)
        await this.database.query(`DELETE FROM fact_repeats WHERE name = $1`, [this.name]);
      else
        await this.database.query(`UPDATE fact_repeats SET after = $2 WHERE name = $1`, [
          this.name,
          events.at(-1)!.id,
        ]);
      return events.length;
    });
  }

  /** A number that was given before: the stream has lost its end since, whoever was the first to publish again. */
  private refuseRewound(sequences: number[], known: KnownStream): void {
    if (sequences.some((sequence) => sequence <= known.lastSequence))
      throw new StreamRewound(this.name, known.generation);
  }

  /** Answers which events left the queue. What was merely away is not counted, nor is a refusal of everything. */
  private async quarantine(failures: PublishFailure[], othersWereTaken: boolean): Promise<string[]> {
    const refused = failures.filter(
      ({ kind }) => kind === 'never' || (kind === 'refused' && othersWereTaken),
    );
    if (refused.length === 0) return [];
    const rows = await this.database.query<{ id: string; quarantined: boolean }>(
      `UPDATE outbox SET refusals = least(refusals + 1, ${maxRefusals}),
         quarantined_at = CASE WHEN ${isHopeless} THEN now() END,
         quarantine_reason = CASE WHEN ${isHopeless} THEN r.reason END
       FROM unnest($1::uuid[], $2::boolean[], $3::text[]) AS r (refused_id, never, reason) WHERE id = r.refused_id
       RETURNING id, quarantined_at IS NOT NULL AS quarantined`,
      [
        refused.map(({ id }) => id),
        refused.map(({ kind }) => kind === 'never'),
        refused.map(({ error }) => contentOf(error.message)),
      ],
    );
    return rows.filter(({ quarantined }) => quarantined).map(({ id }) => id);
  }

  private async mark(ids: string[], known: KnownStream, lastSequence: number): Promise<void> {
    await this.database.query(
      `WITH stream AS (
         UPDATE fact_streams SET last_sequence = greatest(last_sequence, $2) WHERE name = $1 AND generation = $3 RETURNING 1
       )
       UPDATE outbox SET published_at = now() WHERE id = ANY($4::uuid[]) AND EXISTS (SELECT 1 FROM stream)`,
      [this.name, lastSequence, known.generation, ids],
    );
  }
}
