import { readFileSync, readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { agree, type Bench } from '../bench.js';
import { inDatabase } from '../databases.js';
import { measured } from '../hand-off.js';
import { fill, load } from '../load.js';
import { cpuSeconds } from '../processes.js';
import { Product } from '../product.js';

const connections = 16;
const leastSeconds = 12;
const warmSeconds = 6;
const shownStatements = 14;
const settleMs = 2_000;
const paused = { DELIVERY_PAUSED: 'true' };

/** What one mail costs from its request until everything about it is recorded: processor time of all processes, statements, WAL. */
export async function benchCosts(bench: Bench): Promise<void> {
  const { servers, scale } = bench;
  await Product.during(servers, {}, async (product) => {
    await load(product.url, connections, warmSeconds, product.token);
    await settled(bench, product);
    await costing(bench, 'accepted while delivery runs', async () => {
      const { accepted, perSecond } = await load(
        product.url,
        connections,
        Math.max(scale.seconds, leastSeconds),
        product.token,
      );
      console.log(`${Math.round(perSecond)} accepts/s`);
      await settled(bench, product);
      return accepted;
    });
    await product.restart('sending', paused);
    await fill(product.url, product.token, scale.backlog);
    await agree(servers);
    await product.restart('sending', {});
    await costing(bench, 'delivered from a backlog', async () => {
      const left = await product.waiting();
      const rate = measured(bench, Math.floor(left * 0.8));
      console.log(`${Math.round(await rate)} hand-offs/s`);
      await settled(bench, product);
      return left;
    });
  });
}

async function settled({ servers }: Bench, product: Product): Promise<void> {
  await product.drained();
  await agree(servers);
  // The events of the last mails pass through the relay and its subscribers.
  await delay(settleMs);
}

/** Of all processes that the bench started, for each of the items that the work reports; Postgres counts its statements. */
export async function costing(
  { servers, rows }: Bench,
  name: string,
  work: () => Promise<number>,
): Promise<void> {
  await inDatabase(servers.databaseUrl, async (client) => {
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
    await client.query('SELECT pg_stat_statements_reset()');
    const walBefore = await walPosition(client);
    const before = cpuByProgram();
    const items = await work();
    const after = cpuByProgram();
    const wal = ((await walPosition(client)) - walBefore) / 1_024;
    const statements = await statementsOf(client);
    const each = [...after].map(
      ([program, seconds]) => [program, ((seconds - (before.get(program) ?? 0)) * 1_000) / items] as const,
    );
    const calls = statements.reduce((sum, statement) => sum + statement.calls, 0) / items;
    const total = each.reduce((sum, [, ms]) => sum + ms, 0);
    rows.push(
      { name: `${name}: processor ms each`, product: total },
      { name: `${name}: statements each`, product: calls },
      { name: `${name}: KB of WAL each`, product: wal / items },
    );
    console.log(
      `${name}, ${items} of them; processor ms each: ${each.map(([program, ms]) => `${program} ${ms.toFixed(2)}`).join(', ')}`,
    );
    print(items, 'most time', statements);
    print(
      items,
      'most calls',
      statements.toSorted((one, other) => other.calls - one.calls),
    );
  });
}

function print(items: number, order: string, statements: StatementCost[]): void {
  console.log(`  ${order}:`);
  for (const { database, calls, ms, rows, sql } of statements.slice(0, shownStatements))
    console.log(
      `  ${(ms / items).toFixed(3)} ms, ${(calls / items).toFixed(3)} calls of ${(ms / calls).toFixed(2)} ms and ${(rows / calls).toFixed(1)} rows  ${database}: ${sql}`,
    );
}

async function walPosition(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    `SELECT (pg_current_wal_lsn() - '0/0')::float8 AS bytes`,
  );
  return rows[0]!.bytes;
}

interface StatementCost {
  database: string;
  calls: number;
  ms: number;
  rows: number;
  sql: string;
}

async function statementsOf(client: pg.Client): Promise<StatementCost[]> {
  const { rows } = await client.query<StatementCost>(
    `SELECT d.datname AS database, sum(calls)::float8 AS calls, sum(total_exec_time)::float8 AS ms, sum(rows)::float8 AS rows,
       left(regexp_replace(query, '\\s+', ' ', 'g'), 110) AS sql
     FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
     WHERE d.datname <> 'postgres' AND query NOT IN ('BEGIN', 'COMMIT') GROUP BY 1, 5 ORDER BY 3 DESC`,
  );
  return rows;
}

/** Of all processes that this one started, but for the mail server: what the product takes of the machine. */
function cpuByProgram(): Map<string, number> {
  const parents = new Map<number, number>();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = readUnlessGone(`/proc/${entry}/stat`).split(') ')[1]?.split(' ')[1];
    if (parent) parents.set(Number(entry), Number(parent));
  }
  const spent = new Map<string, number>();
  for (const pid of parents.keys()) {
    const command = readUnlessGone(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');
    const program = programOf(command);
    if (program && isBelow(pid, process.pid, parents))
      spent.set(program, (spent.get(program) ?? 0) + secondsOf(pid));
  }
  return spent;
}

const programOf = (command: string): string | null =>
  /postgres/.test(command)
    ? 'postgres'
    : /nats-server/.test(command)
      ? 'nats'
      : (/apps\/([a-z-]+)\//.exec(command)?.[1] ?? null);

function isBelow(pid: number, ancestor: number, parents: ReadonlyMap<number, number>): boolean {
  for (let at = parents.get(pid); at !== undefined && at > 1; at = parents.get(at))
    if (at === ancestor) return true;
  return false;
}

function secondsOf(pid: number): number {
  try {
    return cpuSeconds(pid);
  } catch {
    return 0;
  }
}

function readUnlessGone(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
