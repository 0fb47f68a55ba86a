import { setTimeout as pause } from 'node:timers/promises';
import { MigrationExecutor, type Migration } from 'typeorm';
import { isLockTimeout } from './database-error.js';
import type { QueryRunner } from './data-source.js';
import type { Database } from './database.js';

const migrationLock = 7_301_002;
const askAgainMs = 250;
const pauseMs = 2_000;
const reportEveryMs = 15_000;

interface TryAgain {
  report: (line: string) => void;
  /** How long a migration tries again while other sessions hold the locks that it needs. */
  limitMs: number;
}

export async function migrate(
  database: Database,
  report: (line: string) => void = () => undefined,
  { limitMs = 120_000 }: { limitMs?: number } = {},
): Promise<number> {
  const runner = database.source.createQueryRunner();
  try {
    // Rewriting or indexing a large table takes long.
    await runner.query('SET statement_timeout = 0');
    await takeMigrationLock(runner, report);
    const applied = await runPending(database, runner, { report, limitMs });
    if (applied.length > 0)
      report(
        `migrated in ${applied.length === 1 ? 'one step' : `${applied.length} steps`} to ${applied.at(-1)!.name}`,
      );
    return applied.length;
  } finally {
    await runner.query('SELECT pg_advisory_unlock($1)', [migrationLock]).catch(() => undefined);
    await runner.query('RESET statement_timeout; RESET lock_timeout').catch(() => undefined);
    await runner.release();
  }
}

/** Asks again instead of waiting: CREATE INDEX CONCURRENTLY waits for all other transactions, also for that
 * of a replica that waits for this lock, so that both would wait for each other. */
async function takeMigrationLock(runner: QueryRunner, report: (line: string) => void): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const [row] = (await runner.query('SELECT pg_try_advisory_lock($1) AS taken', [migrationLock])) as {
      taken: boolean;
    }[];
    if (row!.taken) return;
    if (isFirst) report('another process migrates: waiting for it');
    await pause(askAgainMs);
  }
}

/** On this connection, because those of the pool have a statement timeout. */
async function runPending(database: Database, runner: QueryRunner, tryAgain: TryAgain): Promise<Migration[]> {
  const executor = new MigrationExecutor(database.source, runner);
  const pending = await executor.getPendingMigrations();
  for (const migration of pending) await runUntilUnlocked(executor, runner, migration, tryAgain);
  return pending;
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
  // Without a transaction, such as CREATE INDEX CONCURRENTLY, it blocks nobody.
  const isApart = migration.instance?.transaction === false;
  await runner.query(`SET lock_timeout = '${isApart ? 0 : '1s'}'`);
  if (!isApart) await runner.startTransaction();
  try {
    await executor.executeMigration(migration);
    if (!isApart) await runner.commitTransaction();
  } catch (error) {
    if (runner.isTransactionActive) await runner.rollbackTransaction();
    throw error;
  }
}

const lockedOut = ({ name }: Migration, limitMs: number, cause: unknown): Error =>
  new Error(
    `${name} got no lock within ${Math.round(limitMs / 1_000)} s: end the sessions that use its tables, such as pg_dump, and start again`,
    { cause },
  );

export async function isMigrated(database: Database): Promise<boolean> {
  return !(await database.source.showMigrations());
}
