import { streamOf, type Caller, type ServiceName } from '@posthorn/contracts';
import { lowestIdOf, newId, type Database } from '@posthorn/database';
import { truncated } from '../events/inbox.repository.js';
import { isWaiting } from './outbox.repository.js';

export interface OutgoingEvent {
  id: string;
  projectId: string;
  name: string;
  items: object[];
  createdAt: Date;
  traces: string | null;
  actor: Caller['actor'] | null;
  ipAddress: string | null;
}

export interface SeenStream {
  identity: string;
  lastSequence: number;
}

export interface KnownStream extends SeenStream {
  generation: number;
}

export interface SendResult {
  acknowledged: string[];
  /** Sequences of events that the stream did not know yet. */
  sequences: number[];
  failures: SendFailure[];
}

export interface SendFailure {
  id: string;
  error: Error;
  /** `never`: the payload is not acceptable; `away`: NATS could not be reached. */
  kind: 'never' | 'refused' | 'away';
}

type Send = (events: OutgoingEvent[]) => Promise<SendResult>;
/** The id of the republication makes the message id unique: JetStream drops messages with a recent id. */
type SendAgain = (events: OutgoingEvent[], republicationId: string) => Promise<SendResult>;

export interface Round {
  count: number;
  quarantined: string[];
  failures: SendFailure[];
}

interface Republication {
  id: string;
  since: Date;
  publishedUntil: Date;
  cursor: string;
}

/** The stream assigned sequences a second time, so it is not the known one or lost its end. */
export class StreamRewound extends Error {
  constructor(
    name: string,
    readonly generation: number,
  ) {
    super(`${name} has lost events that it had accepted`);
    this.name = 'StreamRewound';
  }
}

/** An event is quarantined after this many refusals, and not before ten minutes. */
const maxRefusals = 20;
const minRefused = `interval '10 minutes'`;
const isHopeless = `r.never OR (refusals + 1 >= ${maxRefusals} AND created_at < now() - ${minRefused})`;
const idle: Round = { count: 0, quarantined: [], failures: [] };

const columns = `id, project_id AS "projectId", event_name AS name, items, created_at AS "createdAt", traces, actor, ip_address AS "ipAddress"`;
// Ids contain the clock of a service, which may be wrong by this much (docs/guarantees.md G22).
const skewMs = 26 * 3_600_000;

export class OutboxRelayRepository {
  private readonly name: string;

  constructor(
    private readonly database: Database,
    service: ServiceName,
  ) {
    this.name = streamOf(service);
  }

  async pending(): Promise<{ fresh: boolean; republishing: boolean }> {
    const [row] = await this.database.query<{ fresh: boolean; republishing: boolean }>(
      `SELECT EXISTS (SELECT FROM outbox WHERE ${isWaiting}) AS fresh, EXISTS (SELECT FROM event_repeats WHERE name = $1) AS republishing`,
      [this.name],
    );
    return row!;
  }

  async known(): Promise<KnownStream | null> {
    const [row] = await this.database.query<KnownStream>(
      `SELECT generation, identity, last_sequence AS "lastSequence" FROM event_streams WHERE name = $1`,
      [this.name],
    );
    return row ?? null;
  }

  /** The events are locked in one transaction; after a loss of the stream none is marked as published. */
  async sendFresh(limit: number, send: Send): Promise<Round> {
    return this.database.transaction(async () => {
      // A bitmap scan would visit entries of published events until the next vacuum; a plain scan clears them.
      await this.database.query(`SET LOCAL enable_bitmapscan = off`);
      const events = await this.database.query<OutgoingEvent>(
        `SELECT ${columns} FROM outbox WHERE ${isWaiting} ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED`,
        [limit],
      );
      if (events.length === 0) return idle;
      // Read before sending, so that a loss noted meanwhile prevents the update.
      const known = await this.known();
      if (!known) return idle;
      const { acknowledged, sequences, failures } = await send(events);
      this.refuseRewound(sequences, known);
      await this.markPublished(acknowledged, known, Math.max(known.lastSequence, ...sequences));
      const quarantined = await this.quarantine(failures, acknowledged.length > 0);
      return {
        count: events.length,
        quarantined,
        failures: failures.filter(({ id }) => !quarantined.includes(id)),
      };
    });
  }

  /** Has everything since `since` sent again; false where another replica was first. */
  async acceptNewStream(known: KnownStream | null, seen: SeenStream, since: Date): Promise<boolean> {
    return this.database.transaction(async () => {
      const recorded = await this.database.query(
        known
          ? `UPDATE event_streams SET generation = generation + 1, identity = $2, last_sequence = $3
             WHERE name = $1 AND generation = $4 RETURNING 1`
          : `INSERT INTO event_streams (name, generation, identity, last_sequence) VALUES ($1, $4, $2, $3) ON CONFLICT DO NOTHING RETURNING 1`,
        [this.name, seen.identity, seen.lastSequence, known?.generation ?? 1],
      );
      if (recorded.length === 0) return false;
      await this.republishSince(since);
      return true;
    });
  }

  async republishSince(since: Date): Promise<void> {
    // The wall clock: an update that this one waited for may be later than its start. Timestamps are rounded.
    await this.database.query(
      `INSERT INTO event_repeats AS known (name, id, since, until, after)
       VALUES ($1, $2, $3, clock_timestamp() + interval '2 milliseconds', $4)
       ON CONFLICT (name) DO UPDATE SET id = excluded.id, until = excluded.until,
         since = least(known.since, excluded.since), after = least(known.after, excluded.after)`,
      [this.name, newId(), since, lowestIdOf(since.getTime() - skewMs)],
    );
  }

  async countRepublishing(): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM event_repeats AS republication
       JOIN outbox ON outbox.id > republication.after AND created_at >= republication.since AND published_at <= republication.until WHERE name = $1`,
      [this.name],
    );
    return row!.count;
  }

  async sendAgain(limit: number, send: SendAgain): Promise<number> {
    return this.database.transaction(async () => {
      const [republication] = await this.database.query<Republication>(
        `SELECT id, since, until AS "publishedUntil", after AS cursor FROM event_repeats WHERE name = $1 FOR UPDATE SKIP LOCKED`,
        [this.name],
      );
      const known = republication && (await this.known());
      if (!known) return 0;
      const events = await this.database.query<OutgoingEvent>(
        // Locked, so that no address is erased from an event that is being sent.
        `SELECT ${columns} FROM outbox WHERE id > $1 AND created_at >= $2 AND published_at <= $3 ORDER BY id LIMIT $4 FOR SHARE`,
        [republication.cursor, republication.since, republication.publishedUntil, limit],
      );
      const { sequences, failures } = await send(events, republication.id);
      const waiting = failures.find(({ kind }) => kind !== 'never');
      if (waiting) throw waiting.error;
      this.refuseRewound(sequences, known);
      await this.markPublished([], known, Math.max(known.lastSequence, ...sequences));
      if (events.length < limit)
        await this.database.query(`DELETE FROM event_repeats WHERE name = $1`, [this.name]);
      else
        await this.database.query(`UPDATE event_repeats SET after = $2 WHERE name = $1`, [
          this.name,
          events.at(-1)!.id,
        ]);
      return events.length;
    });
  }

  /** A sequence that was assigned before means that the stream lost its end. */
  private refuseRewound(sequences: number[], known: KnownStream): void {
    if (sequences.some((sequence) => sequence <= known.lastSequence))
      throw new StreamRewound(this.name, known.generation);
  }

  /** Unreachability does not count, nor does a round in which everything was refused. */
  private async quarantine(failures: SendFailure[], othersWereAccepted: boolean): Promise<string[]> {
    const refused = failures.filter(
      ({ kind }) => kind === 'never' || (kind === 'refused' && othersWereAccepted),
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
        refused.map(({ error }) => truncated(error.message)),
      ],
    );
    return rows.filter(({ quarantined }) => quarantined).map(({ id }) => id);
  }

  private async markPublished(ids: string[], known: KnownStream, lastSequence: number): Promise<void> {
    await this.database.query(
      `WITH stream AS (
         UPDATE event_streams SET last_sequence = greatest(last_sequence, $2) WHERE name = $1 AND generation = $3 RETURNING 1
       )
       UPDATE outbox SET published_at = now() WHERE id = ANY($4::uuid[]) AND EXISTS (SELECT 1 FROM stream)`,
      [this.name, lastSequence, known.generation, ids],
    );
  }
}
