import { MigrationExecutor } from 'typeorm';
import type { Database } from './database.js';

const migrationLock = 7_301_002;

export async function migrate(
  database: Database,
  report: (line: string) => void = () => undefined,
): Promise<number> {
  const runner = database.source.createQueryRunner();
  try {
    // Rewriting or indexing a large table takes long, also in another process that holds the lock.
    await runner.query('SET statement_timeout = 0');
    await runner.query('SELECT pg_advisory_lock($1)', [migrationLock]);
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

export async function isMigrated(database: Database): Promise<boolean> {
  return !(await database.source.showMigrations());
}
