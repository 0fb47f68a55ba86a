import type pg from 'pg';
import type { Member, ProcessGroup } from '../process-group.js';
import { until } from './lock-trap.js';

/** Whether this process was seen in a transaction in time; it may have ended that since. */
export async function inTransaction(
  connect: () => Promise<pg.Client>,
  processes: ProcessGroup,
  member: Member,
  timeoutMs: number,
): Promise<true | null> {
  const watcher = await connect();
  try {
    return await until(timeoutMs, async () => {
      const { rows } = await watcher.query<{ name: string }>(
        `SELECT application_name AS name FROM pg_stat_activity WHERE state LIKE 'idle in transaction%' OR (state = 'active' AND query ~* '(insert|update|delete)')`,
      );
      return rows.some(({ name }) => processes.memberOf(Number(/(\d+)/.exec(name)?.[1])) === member) || null;
    });
  } finally {
    await watcher.end().catch(() => undefined);
  }
}
