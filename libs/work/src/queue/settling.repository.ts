import { boundedText } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import { claimedColumns, releasedColumns, type ClaimedItem } from './claimed-columns.js';
import type { WorkState } from './work-states.js';

export interface Failure {
  error: string;
  delayMs: number | null;
}

const maxError = 2_000;

export class SettlingRepository {
  constructor(private readonly database: Database) {}

  afterCommit(listener: () => void): void {
    this.database.afterCommit(listener);
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.database.transaction(work);
  }

  async complete(items: readonly ClaimedItem[]): Promise<number> {
    const rows = await this.database.query(
      `WITH ${held}, gone AS (
         DELETE FROM work_items w USING held h WHERE w.id = h.id AND NOT h.again RETURNING w.id
       ), again AS (
         UPDATE work_items w SET ${released}, again = false, failures = 0, state = ${stateOf('w.due_at')}
         FROM held h WHERE w.id = h.id AND h.again RETURNING w.id
       )
       SELECT id FROM gone UNION ALL SELECT id FROM again`,
      claimOf(items),
    );
    return rows.length;
  }

  /** To a time, by milliseconds, or unchanged (null). If enqueued again, the earlier time counts. */
  async postpone(items: readonly ClaimedItem[], when: number | Date | null): Promise<number> {
    const at = `CASE WHEN h.again THEN least(w.due_at, wanted.at) ELSE wanted.at END`;
    const rows = await this.database.query(
      `WITH ${held}, wanted AS (SELECT h.id, coalesce($3::timestamptz, now() + $4::float8 * interval '1 millisecond', i.due_at) AS at FROM held h JOIN work_items i USING (id))
       UPDATE work_items w SET ${released}, again = false, failures = 0, due_at = ${at}, state = ${stateOf(at)}
       FROM held h JOIN wanted USING (id) WHERE w.id = h.id RETURNING w.id`,
      [...claimOf(items), ...(typeof when === 'number' ? [null, when] : [when, null])],
    );
    return rows.length;
  }

  async hold(item: ClaimedItem, payload?: object): Promise<number> {
    const rows = await this.database.query(
      `UPDATE work_items SET payload = coalesce($3::jsonb, payload), claims = 1, failures = 0
       WHERE id = $1 AND lease_token = $2 AND state = 'CLAIMED' RETURNING id`,
      [item.id, item.leaseToken, payload === undefined ? null : JSON.stringify(payload)],
    );
    return rows.length;
  }

  /** Null where the item belongs to somebody else. An item that was enqueued again is never dead. */
  async fail(item: ClaimedItem, { error, delayMs }: Failure): Promise<WorkState | null> {
    const retryAt = `now() + coalesce($4::float8, 0) * interval '1 millisecond'`;
    const [row] = await this.database.query<{ state: WorkState }>(
      `WITH ${held}
       UPDATE work_items w SET ${released}, again = false, error = $3,
         failures = CASE WHEN h.again AND $4::float8 IS NULL THEN 0 ELSE failures + 1 END,
         due_at = CASE WHEN h.again THEN greatest(w.due_at, ${retryAt}) ELSE ${retryAt} END,
         state = CASE WHEN h.again OR $4::float8 IS NOT NULL THEN 'WAITING' ELSE 'DEAD' END
       FROM held h WHERE w.id = h.id RETURNING w.state`,
      [...claimOf([item]), boundedText(error, maxError), delayMs],
    );
    return row?.state ?? null;
  }

  /** Returns items under new tokens, which invalidates writes under the old ones. */
  async reclaim(items: readonly ClaimedItem[]): Promise<ClaimedItem[]> {
    const rows = await this.database.query<ClaimedItem>(
      `WITH ${held} UPDATE work_items w SET lease_token = w.lease_token + 1 FROM held h WHERE w.id = h.id RETURNING ${claimedColumns}`,
      claimOf(items),
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    return items.flatMap(({ id }) => byId.get(id) ?? []);
  }

  async release(items: readonly ClaimedItem[], delayMs: number): Promise<void> {
    await this.database.query(
      `WITH ${held}
       UPDATE work_items w SET ${releasedColumns(`CASE WHEN $3 > 0 THEN 'WAITING' ELSE 'READY' END`)},
         due_at = greatest(w.due_at, now() + $3::float8 * interval '1 millisecond')
       FROM held h WHERE w.id = h.id`,
      [...claimOf(items), delayMs],
    );
  }
}

/** Locked first, so that a concurrent enqueue is seen; in its order, so that neither waits for the other. */
const held = `held AS MATERIALIZED (
  SELECT w.id, w.again FROM work_items w JOIN unnest($1::uuid[], $2::bigint[]) AS given (id, token) ON given.id = w.id
  WHERE w.lease_token = given.token AND w.state = 'CLAIMED' ORDER BY w.project_id, w.key, w.id FOR UPDATE OF w
)`;

const released = `worker_id = NULL, lease_token = w.lease_token + 1, claims = 0`;
const stateOf = (dueAt: string): string => `CASE WHEN ${dueAt} > now() THEN 'WAITING' ELSE 'READY' END`;
const claimOf = (items: readonly ClaimedItem[]): unknown[] => [
  items.map(({ id }) => id),
  items.map(({ leaseToken }) => leaseToken),
];
