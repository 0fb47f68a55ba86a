import type { Database } from '@posthorn/database';

export interface WaitedFor {
  relation?: string;
  locktype?: string;
}

/** Processes waiting for a lock in this database only: pg_locks lists those of every suite. */
export async function lockWaiters(
  database: Database,
  { relation, locktype }: WaitedFor = {},
): Promise<number[]> {
  // Inside a transaction, pg_stat_activity keeps its first snapshot.
  const rows = await database.apart(() =>
    database.query<{ pid: number }>(
      `SELECT DISTINCT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
       WHERE NOT granted AND datname = current_database() AND ($1::text IS NULL OR relation = $1::regclass) AND ($2::text IS NULL OR locktype = $2)`,
      [relation ?? null, locktype ?? null],
    ),
  );
  return rows.map(({ pid }) => pid);
}
