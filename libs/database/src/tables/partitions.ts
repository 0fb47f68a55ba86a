import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../database.js';
import { isCheckViolation, isLockTimeout, isStatementTimeout } from '../database-error.js';
import { lowestIdOf } from './ids.js';

export interface PartitionPlan {
  table: string;
  days: number;
  retentionDays: number;
  /** Storage parameter `fillfactor`, which leaves room for updates in place; 100 by default. */
  fillPercent?: number;
  /** Condition under which an old partition is kept, given the milliseconds between which its ids lie. */
  keptWhile?: (start: number, end: number) => string;
}

interface Partition {
  name: string;
  start: number;
  end: number;
}

type Warn = (line: string) => void;

const dayMs = 86_400_000;
const ahead = 3;
const deletedAtOnce = 5_000;
const partitionLock = 7_301_004;
const pausesMs = [1_000, 2_000];

/** Whoever holds a lock on one table for long, as pg_dump does, mostly holds the others: one try each. */
interface Round {
  database: Database;
  now: Date;
  warn: Warn;
  isPatient: boolean;
}

/** What other sessions do not allow now is left to the next round, with a warning. */
export async function maintainPartitions(
  database: Database,
  plans: readonly PartitionPlan[],
  warn: Warn = () => undefined,
): Promise<void> {
  const round = await beginRound(database, warn, true);
  for (const plan of plans) {
    await makeAhead(round, plan);
    await dropOld(round, plan);
  }
  for (const plan of plans) {
    await emptyDefault(round, plan).catch((error: Error) =>
      warn(`${plan.table}_default is not cleaned up yet: ${error.message}`),
    );
  }
}

/** Only what a start needs, or can have at once: a service must not stay away while pg_dump reads. */
export async function preparePartitions(
  database: Database,
  plans: readonly PartitionPlan[],
  warn: Warn = () => undefined,
): Promise<void> {
  const round = await beginRound(database, warn, false);
  for (const plan of plans) await makeAhead(round, plan);
}

async function beginRound(database: Database, warn: Warn, isPatient: boolean): Promise<Round> {
  const [row] = await database.query<{ now: Date }>('SELECT now()');
  return { database, now: row!.now, warn, isPatient };
}

export function firstKeptId(
  { days, retentionDays }: Pick<PartitionPlan, 'days' | 'retentionDays'>,
  now: Date,
): string {
  const span = days * dayMs;
  return lowestIdOf(Math.floor((now.getTime() - retentionDays * dayMs) / span) * span);
}

async function makeAhead(round: Round, plan: PartitionPlan): Promise<void> {
  const { database, now, warn } = round;
  const known = await partitionsOf(database, plan);
  const span = plan.days * dayMs;
  const first = Math.floor(now.getTime() / span);
  for (let index = first; index <= first + ahead; index += 1) {
    const partition = partitionAt(plan.table, index * span, span);
    if (known.some(({ name }) => name === partition.name)) continue;
    const outcome = await tried(round, () => attach(database, plan, partition));
    if (outcome === 'locked' && known.length === 0)
      throw new Error(`${plan.table} has no partitions: ${locked}`);
    if (outcome === 'locked') return warn(`${partition.name} is not made yet: ${locked}`);
    if (outcome === 'taken')
      warn(`${partition.name} cannot be made: rows of its time are in ${plan.table}_default, and stay there`);
  }
}

/** CREATE TABLE … PARTITION OF would lock the whole table, and all writers would wait while pg_dump reads.
 * ATTACH lets others write; it locks only the default partition, which it searches for rows. */
async function attach(
  database: Database,
  { table, fillPercent = 100 }: PartitionPlan,
  { name, start, end }: Partition,
): Promise<void> {
  const [row] = await database.query('SELECT FROM pg_inherits WHERE inhrelid = to_regclass($1)', [name]);
  if (row) return;
  await database.query(
    `CREATE TABLE ${name} (LIKE ${table} INCLUDING ALL) WITH (fillfactor = ${fillPercent})`,
  );
  await database.query(
    `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM ('${lowestIdOf(start)}') TO ('${lowestIdOf(end)}')`,
  );
}

async function dropOld(round: Round, plan: PartitionPlan): Promise<void> {
  const { database, now, warn } = round;
  const oldest = now.getTime() - plan.retentionDays * dayMs;
  for (const partition of await partitionsOf(database, plan)) {
    if (partition.end >= oldest) continue;
    const outcome = await tried(round, () => drop(database, plan, partition));
    if (outcome === 'locked') return warn(`${partition.name} is not dropped yet: ${locked}`);
    if (outcome === 'kept')
      warn(
        `${partition.name} is kept beyond ${plan.retentionDays} days, because rows in it are still needed`,
      );
  }
}

/** DETACH … CONCURRENTLY is impossible with a default partition. So the table is locked for the DROP, if all
 * locks can be had soon: each has the lock timeout, all together have that of the statement. */
async function drop(
  database: Database,
  { keptWhile }: PartitionPlan,
  { name, start, end }: Partition,
): Promise<'kept' | undefined> {
  if (keptWhile && (await holds(database, keptWhile(start, end)))) return 'kept';
  await database.query(`SET LOCAL statement_timeout = '1500ms'`);
  await database.query(`DROP TABLE IF EXISTS ${name}`);
  return undefined;
}

/** It holds rows that came while a clock was wrong, and is never dropped, so its old rows are deleted. */
async function emptyDefault({ database, now }: Round, plan: PartitionPlan): Promise<void> {
  const [partition] = await database.query<{ name: string | null; key: string }>(
    `SELECT to_regclass(partrelid::regclass || '_default')::text AS name, attname AS key FROM pg_partitioned_table
     JOIN pg_attribute ON attrelid = partrelid AND attnum = partattrs[0] WHERE partrelid = $1::regclass`,
    [plan.table],
  );
  if (!partition?.name) return;
  const { name, key } = partition;
  const oldest = now.getTime() - plan.retentionDays * dayMs;
  const old = [lowestIdOf(oldest)];
  const [hasOld] = await database.query(`SELECT FROM ${name} WHERE ${key} < $1 LIMIT 1`, old);
  if (!hasOld || (plan.keptWhile && (await holds(database, plan.keptWhile(0, oldest))))) return;
  for (let deleted = deletedAtOnce; deleted === deletedAtOnce;) {
    const [row] = await database.query<{ deleted: number }>(
      `WITH deleted AS (DELETE FROM ${name} WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ${name} WHERE ${key} < $1 LIMIT ${deletedAtOnce})) RETURNING 1)
       SELECT count(*)::int AS deleted FROM deleted`,
      old,
    );
    deleted = row!.deleted;
  }
}

async function holds(database: Database, condition: string): Promise<boolean> {
  const [row] = await database.query<{ holds: boolean }>(`SELECT ${condition} AS holds`);
  return row!.holds;
}

const locked = 'another session, such as pg_dump, holds a lock';

/** Tries again after pauses, in which those who wait behind it go on. */
async function tried<T>(round: Round, work: () => Promise<T>): Promise<T | 'locked' | 'taken'> {
  for (const pauseMs of round.isPatient ? [...pausesMs, null] : [null]) {
    try {
      return await exclusively(round.database, work);
    } catch (error) {
      if (isCheckViolation(error)) return 'taken';
      if (!isLockTimeout(error) && !isStatementTimeout(error)) throw error;
    }
    if (pauseMs !== null) await pause(pauseMs);
  }
  round.isPatient = false;
  return 'locked';
}

/** Replicas do the same at the same time; one after another, each finds what the one before did. */
async function exclusively<T>(database: Database, work: () => Promise<T>): Promise<T> {
  return database.transaction(async () => {
    await database.query('SELECT pg_advisory_xact_lock($1)', [partitionLock]);
    await database.query(`SET LOCAL lock_timeout = '1s'`);
    return work();
  });
}

/** Without the default partition. */
async function partitionsOf(database: Database, { table, days }: PartitionPlan): Promise<Partition[]> {
  const rows = await database.query<{ name: string }>(
    `SELECT child.relname AS name FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
     WHERE inhparent = $1::regclass ORDER BY child.relname`,
    [table],
  );
  return rows.flatMap(({ name }) => {
    const [, year, month, day] = /_p(\d{4})(\d{2})(\d{2})$/.exec(name) ?? [];
    if (year === undefined) return [];
    return [partitionAt(table, Date.UTC(Number(year), Number(month) - 1, Number(day)), days * dayMs)];
  });
}

function partitionAt(table: string, start: number, span: number): Partition {
  const day = new Date(start).toISOString().slice(0, 10).replaceAll('-', '');
  return { name: `${table}_p${day}`, start, end: start + span };
}
