import type { Database } from '@posthorn/database';

/** Moves scheduled mail by the clock of the database, each `everyMs` after the one before, and returns the first time. */
export async function makeDue(
  database: Database,
  ids: readonly string[],
  { inMs = 0, everyMs = 0 } = {},
): Promise<Date> {
  const rows = await database.query<{ at: Date }>(
    `WITH moved AS (
       UPDATE emails SET scheduled_at = now() + ($2 + $3 * (array_position($1::uuid[], id) - 1)) * interval '1 millisecond'
       WHERE id = ANY($1::uuid[]) RETURNING id, scheduled_at AS at
     ), due AS (
       UPDATE deliveries SET due_at = at, expires_at = at + interval '1 day' FROM moved WHERE email_id = id
     ) SELECT at FROM moved ORDER BY at`,
    [ids, inMs, everyMs],
  );
  return rows[0]!.at;
}
