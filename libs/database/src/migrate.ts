import { setTimeout as delay } from 'node:timers/promises';
import { MigrationExecutor, type QueryRunner } from 'typeorm';
import type { Database } from './database.js';

const migrationLock = 7_301_002;
const pollMs = 100;

export async function migrate(
  database: Database,
  report: (line: string) => void = () => undefined,
): Promise<number> {
  const runner = database.source.createQueryRunner();
  try {
    // Rewriting or indexing a large table takes long, also in another process that holds the lock.
    await runner.query('SET statement_timeout = 0');
    await lockMigrations(runner);
    // On this connection, because those of the pool have a statement timeout.
    const executor = new MigrationExecutor(database.source, runner);
    executor.transaction = 'each';
    const applied = await executor.executePendingMigrations();
    if (applied.length > 0)
      report(
        `migrated in ${applied.length === 1 ? 'one step' : `${applied.length} steps`} to ${applied.at(-1)!.name}`,
      );
    return applied.length;
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [migrationLock]).catch(() => undefined);
    await runner.query('RESET statement_timeout').catch(() => undefined);
    await runner.release();
  }
}

/** A statement that waits would hold up CREATE INDEX CONCURRENTLY of the process that migrates, which waits for it in turn. */
async function lockMigrations(runner: QueryRunner): Promise<void> {
  for (;;) {
    const [row] = (await runner.query('SELECT pg_try_advisory_lock($1) AS locked', [migrationLock])) as [
      { locked: boolean },
    ];
    if (row.locked) return;
    await delay(pollMs);
  }
}

export async function isMigrated(database: Database): Promise<boolean> {
  return !(await database.source.showMigrations());
}
