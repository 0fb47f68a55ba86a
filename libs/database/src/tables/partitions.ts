import type { Database } from '../database.js';
import { lowestIdOf } from './ids.js';

export interface PartitionPlan {
  table: string;
  days: number;
  retentionDays: number;
  /** Storage parameter `fillfactor`, which leaves room for updates in place; 100 by default. */
  fillPercent?: number;
}

const dayMs = 86_400_000;
const ahead = 3;
const partitionLock = 7_301_004;

export async function maintainPartitions(database: Database, plans: readonly PartitionPlan[]): Promise<void> {
  const [row] = await database.query<{ now: Date }>('SELECT now()');
  for (const plan of plans) {
    await makeAhead(database, plan, row!.now);
    await dropOld(database, plan, row!.now);
  }
}

async function makeAhead(database: Database, plan: PartitionPlan, now: Date): Promise<void> {
  const known = new Set(await partitionsOf(database, plan.table));
  const span = plan.days * dayMs;
  const first = Math.floor(now.getTime() / span);
  for (let index = first; index <= first + ahead; index += 1) {
    const name = partitionName(plan.table, index * span);
    if (known.has(name)) continue;
    const bounds = `FROM ('${lowestIdOf(index * span)}') TO ('${lowestIdOf((index + 1) * span)}')`;
    await exclusively(
      database,
      `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF ${plan.table} FOR VALUES ${bounds} WITH (fillfactor = ${plan.fillPercent ?? 100})`,
    );
  }
}

async function dropOld(database: Database, plan: PartitionPlan, now: Date): Promise<void> {
  const oldest = now.getTime() - plan.retentionDays * dayMs;
  for (const name of await partitionsOf(database, plan.table)) {
    const day = /_p(\d{4})(\d{2})(\d{2})$/.exec(name);
    if (!day) continue;
    const end = Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3])) + plan.days * dayMs;
    if (end < oldest) await exclusively(database, `DROP TABLE IF EXISTS ${name}`);
  }
}

/** IF NOT EXISTS does not help replicas that create the same table at the same time. */
async function exclusively(database: Database, sql: string): Promise<void> {
  await database.transaction(async () => {
    await database.query('SELECT pg_advisory_xact_lock($1)', [partitionLock]);
    await database.query(sql);
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
