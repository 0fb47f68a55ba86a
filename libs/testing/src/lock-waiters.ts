import type { Database } from '@posthorn/database';

export interface WaitedFor {
  /** A part of the first 1,000 characters of the waiting statement. */
  statement?: string;
  relation?: string;
  locktype?: string;
}

/** Processes waiting for a lock in this database only: pg_locks lists those of every suite. */
export async function lockWaiters(
  database: Database,
  { relation, locktype, statement }: WaitedFor = {},
): Promise<number[]> {
  // Inside a transaction, pg_stat_activity keeps its first snapshot.
  const rows = await database.apart(() =>
    database.query<{ pid: number }>(
      `SELECT DISTINCT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
       WHERE NOT granted AND datname = current_database() AND ($1::text IS NULL OR relation = $1::regclass) AND ($2::text IS NULL OR locktype = $2)
         AND ($3::text IS NULL OR strpos(query, $3) > 0)`,
      [relation ?? null, locktype ?? null, statement ?? null],
    ),
  );
  return rows.map(({ pid }) => pid);
}
