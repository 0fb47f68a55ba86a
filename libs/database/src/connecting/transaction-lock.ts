import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Connection } from './connection.js';
import { isLockTimeout } from '../database-error.js';

const askAgainMs = 250;
const reportAfterMs = 10_000;

export interface LockOptions {
  key: number;
  name: string;
  /** What the other process does, for the report of a long wait. */
  other: string;
  report: (line: string) => void;
  /**
   * Asks again instead of waiting in line: CREATE INDEX CONCURRENTLY waits for the statements of all others, also for that of a replica that
   * waits for this lock, so that both would wait for each other.
   */
  asks?: boolean;
}

export interface HeldLock {
  /** Throws when the connection of the lock is gone, and others may have it. */
  assertHeld(): void;
}

/** The lock is a transaction that stays open on a connection of its own: so it works where a session belongs to nobody, behind a pooler. */
export async function underLock<T>(
  connection: Connection,
  options: LockOptions,
  work: (lock: HeldLock) => Promise<T>,
): Promise<T> {
  const holder = new pg.Client({
    ...connection,
    application_name: options.name,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  let lost: Error | null = null;
  holder.on('error', (error) => (lost = error));
  await holder.connect();
  try {
    await take(holder, options);
    return await work({
      assertHeld: () => {
        if (lost) throw lost;
      },
    });
  } finally {
    await holder.query('ROLLBACK').catch(() => undefined);
    await holder.end().catch(() => undefined);
  }
}

async function take(holder: pg.Client, { key, other, report, asks = false }: LockOptions): Promise<void> {
  const began = performance.now();
  for (let reportAt = asks ? began : began + reportAfterMs; ;) {
    await holder.query('BEGIN');
    await holder.query(unlimited);
    if (await (asks ? isFree(holder, key) : isReached(holder, key))) return;
    await holder.query('ROLLBACK');
    const now = performance.now();
    if (now >= reportAt) {
      const seconds = Math.round((now - began) / 1_000);
      report(`${other}: waiting for it${seconds > 0 ? `, ${seconds} s so far` : ''}`);
      reportAt = now + reportAfterMs;
    }
    if (asks) await pause(askAgainMs);
  }
}

/** Whoever has the lock may take long, and is idle in its transaction all the while. */
const unlimited = `SELECT set_config(name, CASE name WHEN 'lock_timeout' THEN '${reportAfterMs}' ELSE '0' END, true) FROM pg_settings
  WHERE name IN ('lock_timeout', 'statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`;

/** Without parameters: those would leave a portal open, with its snapshot, for which CREATE INDEX CONCURRENTLY waits. */
async function isFree(holder: pg.Client, key: number): Promise<boolean> {
  const { rows } = await holder.query<{ taken: boolean }>(
    `SELECT pg_try_advisory_xact_lock(${key}) AS taken`,
  );
  return rows[0]!.taken;
}

async function isReached(holder: pg.Client, key: number): Promise<boolean> {
  try {
    await holder.query(`SELECT pg_advisory_xact_lock(${key})`);
    return true;
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}
