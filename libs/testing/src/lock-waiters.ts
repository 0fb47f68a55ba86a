import type { Database } from '@posthorn/database';

export interface WaitedFor {
  /** Of this table. */
  relation?: string;
  locktype?: string;
}

/** Who waits for a lock, in this database alone: pg_locks has those of every suite of the server. */
export async function lockWaiters(
  database: Database,
  { relation, locktype }: WaitedFor = {},
): Promise<number[]> {
  // Inside of a transaction pg_stat_activity would stay as it was at its first look.
  const rows = await database.apart(() =>
    database.query<{ pid: number }>(
      `SELECT DISTINCT pid FROM pg_locks JOIN pg_stat_activity USING (pid)
       WHERE NOT granted AND datname = current_database() AND ($1::text IS NULL OR relation = $1::regclass) AND ($2::text IS NULL OR locktype = $2)`,
      [relation ?? null, locktype ?? null],
    ),
  );
  return rows.map(({ pid }) => pid);
}
