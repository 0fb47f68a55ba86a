import type { Database } from '@posthorn/database';

/** Who waits for a lock, in this database alone: pg_locks has those of every suite of the server. */
export async function lockWaiters(database: Database): Promise<number[]> {
  const rows = await database.query<{ pid: number }>(
    `SELECT DISTINCT pid FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()`,
  );
  return rows.map(({ pid }) => pid);
}
