import { setTimeout as pause } from 'node:timers/promises';
import { MigrationExecutor, type Migration } from 'typeorm';
import { isLockTimeout } from './database-error.js';
import { openDirectSource, type DataSource, type QueryRunner } from './data-source.js';
import type { Database } from './database.js';
import { RefusedDatabase } from './connecting/refused-database.js';
import { underLock, type HeldLock } from './connecting/transaction-lock.js';

const migrationLock = 7_301_002;
const pauseMs = 2_000;
const reportEveryMs = 15_000;

interface TryAgain {
  report: (line: string) => void;
  /** How long a migration tries again while other sessions hold the locks that it needs. */
  limitMs: number;
}

/** On a session of its own, past any pooler and without the timeouts of the role. */
export async function migrate(
  database: Database,
  report: (line: string) => void = () => undefined,
  { limitMs = 120_000 }: { limitMs?: number } = {},
): Promise<number> {
  if (await isMigrated(database)) return 0;
  const source = await openDirectSource(database);
  try {
    const name = `${database.direct.name}-migrates`;
    const lock = { key: migrationLock, name, other: 'another process migrates', report, asks: true };
    const applied = await underLock(database.direct, lock, (held) =>
      runPending(source, { report, limitMs }, held),
    );
    if (applied.length > 0)
      report(
        `migrated in ${applied.length === 1 ? 'one step' : `${applied.length} steps`} to ${applied.at(-1)!.name}`,
      );
    return applied.length;
  } finally {
    await source.destroy();
  }
}

async function runPending(source: DataSource, tryAgain: TryAgain, lock: HeldLock): Promise<Migration[]> {
  const runner = source.createQueryRunner();
  try {
    const executor = new MigrationExecutor(source, runner);
    const pending = await executor.getPendingMigrations();
    for (const [index, migration] of pending.entries()) {
      lock.assertHeld();
      if (pending.length > 1) tryAgain.report(`${index + 1} of ${pending.length}: ${migration.name}`);
      await runUntilUnlocked(executor, runner, migration, tryAgain);
    }
    return pending;
  } finally {
    await runner.release();
  }
}

async function runUntilUnlocked(
  executor: MigrationExecutor,
  runner: QueryRunner,
  migration: Migration,
  { report, limitMs }: TryAgain,
): Promise<void> {
  const began = performance.now();
  for (let reported = -Infinity; ;) {
    try {
      return await runOne(executor, runner, migration);
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      const waited = performance.now() - began;
      if (waited + pauseMs > limitMs) throw lockedOut(migration, limitMs, error);
      if (waited - reported >= reportEveryMs) {
        report(
          `${migration.name} waits for a table that another session uses, such as pg_dump, and tries again`,
        );
        reported = waited;
      }
    }
    await pause(pauseMs);
  }
}

/** All later readers and writers wait behind it: so a second at most (docs/guarantees.md G23). */
async function runOne(executor: MigrationExecutor, runner: QueryRunner, migration: Migration): Promise<void> {
  if (migration.instance?.transaction === false) return runApart(executor, runner, migration);
  await runner.startTransaction();
  try {
    // Rewriting or indexing a large table takes long.
    await runner.query(`SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '1s'`);
    await executor.executeMigration(migration);
    await runner.commitTransaction();
  } catch (error) {
    if (runner.isTransactionActive) await runner.rollbackTransaction();
    throw error;
  }
}

/** Without a transaction, such as CREATE INDEX CONCURRENTLY, it blocks nobody; but what it sets would stay with a session of others. */
async function runApart(
  executor: MigrationExecutor,
  runner: QueryRunner,
  migration: Migration,
): Promise<void> {
  const { processID } = (await runner.connect()) as { processID: number };
  const [row] = (await runner.query('SELECT pg_backend_pid() AS pid')) as { pid: number }[];
  if (row!.pid !== processID)
    throw new RefusedDatabase(
      `${migration.name} needs a session, and this connection leads to a pooler: set <SERVICE>_DIRECT_DATABASE_URL to the server itself`,
    );
  await runner.query('SET statement_timeout = 0; SET lock_timeout = 0');
  try {
    await executor.executeMigration(migration);
  } finally {
    await runner.query('RESET statement_timeout; RESET lock_timeout').catch(() => undefined);
  }
}

const lockedOut = ({ name }: Migration, limitMs: number, cause: unknown): Error =>
  new Error(
    `${name} got no lock within ${Math.round(limitMs / 1_000)} s: end the sessions that use its tables, such as pg_dump, and start again`,
    { cause },
  );

/** Unlike TypeORM's own look, it makes nothing: several processes would make the same table at once. */
export async function isMigrated(database: Database): Promise<boolean> {
  const [table] = await database.query<{ exists: boolean }>(
    `SELECT to_regclass('migrations') IS NOT NULL AS exists`,
  );
  if (!table!.exists) return database.source.migrations.length === 0;
  const made = await database.query<{ name: string }>('SELECT name FROM migrations');
  const names = new Set(made.map(({ name }) => name));
  return database.source.migrations.every((migration) =>
    names.has(migration.name ?? migration.constructor.name),
  );
}
