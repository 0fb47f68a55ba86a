import type { Database } from '../database.js';
import { lowestIdOf } from './ids.js';

export interface PartitionPlan {
  table: string;
  days: number;
  retentionDays: number;
  /** Storage parameter `fillfactor`, which leaves room for updates in place; 100 by default. */
  fillPercent?: number;
  /** SQL of a condition under which an old partition is not dropped, given the milliseconds between which its ids lie. */
  keptWhile?: (start: number, end: number) => string;
}

const dayMs = 86_400_000;
const ahead = 3;
const partitionLock = 7_301_004;

export async function maintainPartitions(
  database: Database,
  plans: readonly PartitionPlan[],
  warn: (line: string) => void = () => undefined,
): Promise<void> {
  const [row] = await database.query<{ now: Date }>('SELECT now()');
  for (const plan of plans) {
    await makeAhead(database, plan, row!.now);
    await dropOld(database, plan, row!.now, warn);
  }
}

/** The lowest id of the oldest partition that is not dropped yet. */
export function firstKeptId(
  { days, retentionDays }: Pick<PartitionPlan, 'days' | 'retentionDays'>,
  now: Date,
): string {
  const span = days * dayMs;
  return lowestIdOf(Math.floor((now.getTime() - retentionDays * dayMs) / span) * span);
}

async function makeAhead(database: Database, plan: PartitionPlan, now: Date): Promise<void> {
  const known = new Set(await partitionsOf(database, plan.table));
  const span = plan.days * dayMs;
  const first = Math.floor(now.getTime() / span);
  for (let index = first; index <= first + ahead; index += 1) {
    const name = partitionName(plan.table, index * span);
    if (known.has(name)) continue;
    const bounds = `FROM ('${lowestIdOf(index * span)}') TO ('${lowestIdOf((index + 1) * span)}')`;
    await exclusively(database, () =>
      database.query(
        `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${plan.table} FOR VALUES ${bounds} WITH (fillfactor = ${plan.fillPercent ?? 100})`,
      ),
    );
  }
}

async function dropOld(
  database: Database,
  { table, days, retentionDays, keptWhile }: PartitionPlan,
  now: Date,
  warn: (line: string) => void,
): Promise<void> {
  const oldest = now.getTime() - retentionDays * dayMs;
  for (const name of await partitionsOf(database, table)) {
    const day = /_p(\d{4})(\d{2})(\d{2})$/.exec(name);
    if (!day) continue;
    const start = Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3]));
    const end = start + days * dayMs;
    if (end >= oldest) continue;
    const isKept = await exclusively(database, async () => {
      const [row] = keptWhile
        ? await database.query<{ kept: boolean }>(`SELECT ${keptWhile(start, end)} AS kept`)
        : [];
      if (!row?.kept) await database.query(`DROP TABLE IF EXISTS ${name}`);
      return row?.kept;
    });
    if (isKept) warn(`${name} is kept beyond ${retentionDays} days, because rows in it are still needed`);
  }
}

/** IF NOT EXISTS does not help replicas that create the same table at the same time. */
async function exclusively<T>(database: Database, work: () => Promise<T>): Promise<T> {
  return database.transaction(async () => {
    await database.query('SELECT pg_advisory_xact_lock($1)', [partitionLock]);
    return work();
  });
}

async function partitionsOf(database: Database, table: string): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `SELECT child.relname AS name FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid WHERE inhparent = $1::regclass`,
    [table],
  );
  return rows.map(({ name }) => name);
}

function partitionName(table: string, start: number): string {
  return `${table}_p${new Date(start).toISOString().slice(0, 10).replaceAll('-', '')}`;
}
