import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { cloneDatabase, type TestDatabase } from '@posthorn/testing';
import { openDatabase } from '../data-source.js';
import type { Database } from '../database.js';
import { lowestIdOf, newId } from './ids.js';
import { maintainPartitions, preparePartitions, type PartitionPlan } from './partitions.js';
import { bareParts } from '../testing/bare-parts.js';
import { holdTable } from '../testing/hold-table.js';

const dayMs = 86_400_000;
const plan: PartitionPlan = { table: 'outbox', days: 1, retentionDays: 7, fillPercent: 80 };

let clone: TestDatabase;
let database: Database;
beforeAll(async () => {
  clone = await cloneDatabase('partitions', bareParts);
  database = await openDatabase({
    url: clone.url,
    name: 'partition-locks',
    poolSize: 6,
    connectTimeoutMs: 30_000,
    ...bareParts,
  });
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

let warnings: string[];
let reader: Reader | undefined;
beforeEach(async () => {
  warnings = [];
  await database.query(`
    DROP TABLE outbox;
    CREATE TABLE outbox (
      id uuid PRIMARY KEY, kind text NOT NULL DEFAULT 'a' CHECK (kind <> ''), body text,
      published_at timestamptz, day text GENERATED ALWAYS AS (left(kind, 1)) STORED
    ) PARTITION BY RANGE (id);
    CREATE TABLE outbox_default PARTITION OF outbox DEFAULT;
    CREATE INDEX outbox_unpublished ON outbox (id) WHERE published_at IS NULL;
    ALTER TABLE outbox ALTER COLUMN body SET STORAGE EXTERNAL`);
});
afterEach(() => reader?.leave());

const maintain = () => maintainPartitions(database, [plan], (line) => warnings.push(line));
const names = async () => {
  const rows = await database.query<{ name: string }>(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'outbox'::regclass ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
};
const nameOf = (offset: number) =>
  `outbox_p${new Date(Date.now() + offset * dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
const expected = [...[0, 1, 2, 3].map(nameOf), 'outbox_default'].toSorted();
const insert = () => database.query('INSERT INTO outbox (id) VALUES ($1)', [newId()]);

interface Reader {
  leave: () => Promise<unknown>;
}

async function readerOf(table: string): Promise<Reader> {
  reader = { leave: await holdTable(database, table) };
  return reader;
}

/** The longest time that one of the inserts took which were made all the while; a reader leaves when it has kept one waiting for long. */
async function slowestInsertDuring(work: Promise<unknown>, { leave }: Reader): Promise<number> {
  let isOver = false;
  void work.finally(() => (isOver = true)).catch(() => undefined);
  let slowest = 0;
  while (!isOver) {
    const began = performance.now();
    const tooLong = setTimeout(() => void leave(), 30_000);
    await insert();
    clearTimeout(tooLong);
    slowest = Math.max(slowest, performance.now() - began);
  }
  return slowest;
}

describe('while another session reads the table', () => {
  it('inserts do not wait until it leaves, and partitions are made and dropped when it has left', async () => {
    await maintain();
    await database.query(`DROP TABLE ${nameOf(2)}`);
    await database.query(
      `CREATE TABLE outbox_p20200101 PARTITION OF outbox FOR VALUES FROM ('${lowestIdOf(Date.UTC(2020, 0, 1))}') TO ('${lowestIdOf(Date.UTC(2020, 0, 2))}')`,
    );
    const pgDump = await readerOf('outbox');
    expect(await slowestInsertDuring(maintain(), pgDump)).toBeLessThan(15_000);
    expect(warnings).toEqual([
      expect.stringContaining(`${nameOf(2)} is not made yet`),
      expect.stringContaining('outbox_p20200101 is not dropped yet'),
    ]);
    await pgDump.leave();
    await maintain();
    expect(await names()).toEqual(expected);
    expect(warnings).toHaveLength(2);
  });

  it('partitions are made while it reads others than the default one', async () => {
    await maintain();
    await database.query(`DROP TABLE ${nameOf(2)}`);
    const query = await readerOf(nameOf(0));
    expect(await slowestInsertDuring(maintain(), query)).toBeLessThan(15_000);
    expect([await names(), warnings]).toEqual([expected, []]);
  });

  it('inserts do not wait until it leaves where it reads only what is to be dropped', async () => {
    await maintain();
    await database.query(
      `CREATE TABLE outbox_p20200101 PARTITION OF outbox FOR VALUES FROM ('${lowestIdOf(Date.UTC(2020, 0, 1))}') TO ('${lowestIdOf(Date.UTC(2020, 0, 2))}')`,
    );
    const query = await readerOf('outbox_p20200101');
    expect(await slowestInsertDuring(maintain(), query)).toBeLessThan(15_000);
    expect(warnings).toEqual([expect.stringContaining('outbox_p20200101 is not dropped yet')]);
  });

  it('a service starts at once, and other tables are not waited for once more', async () => {
    const others = ['second', 'third', 'fourth'].map((table) => ({ ...plan, table }));
    for (const { table } of others)
      await database.query(`DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} (LIKE outbox INCLUDING ALL) PARTITION BY RANGE (id);
        CREATE TABLE ${table}_default PARTITION OF ${table} DEFAULT`);
    const plans = [plan, ...others];
    await maintainPartitions(database, plans);
    const missing = plans.map(({ table }) => nameOf(2).replace('outbox', table));
    await database.query(`DROP TABLE ${missing.join(', ')}`);
    const pgDump = await readerOf(plans.map(({ table }) => table).join(', '));
    const triesOf = async (work: typeof maintainPartitions, limitMs: number) => {
      let tries = 0;
      const query = (sql: string, parameters?: unknown[]) => {
        if (sql.includes('ATTACH PARTITION')) tries += 1;
        return database.query(sql, parameters);
      };
      const began = performance.now();
      await work(Object.assign(Object.create(database) as Database, { query }), plans);
      expect(performance.now() - began).toBeLessThan(limitMs);
      return tries;
    };
    // A second for each try; maintenance tries its first table three times, with pauses of three seconds.
    expect(await triesOf(preparePartitions, 20_000)).toBe(4);
    expect(await triesOf(maintainPartitions, 30_000)).toBe(6);
    await pgDump.leave();
    await preparePartitions(database, plans);
    for (const name of missing)
      expect(await database.query('SELECT to_regclass($1) AS made', [name])).toEqual([{ made: name }]);
  });

  it('a table that has no partition yet cannot be used, and the start fails', async () => {
    const pgDump = await readerOf('outbox');
    await expect(maintain()).rejects.toThrow(/outbox has no partitions: another session.* holds a lock/);
    await pgDump.leave();
    await maintain();
    expect(await names()).toEqual(expected);
  });
});

describe('a partition', () => {
  it('has all that the table has, and no index of its own', async () => {
    await maintain();
    await database.query(`CREATE TABLE outbox_p20200101 PARTITION OF outbox FOR VALUES FROM
      ('016f5e66-e800-0000-0000-000000000000') TO ('016f638d-4400-0000-0000-000000000000') WITH (fillfactor = 80)`);
    const described = (name: string) =>
      database.query(
        `SELECT (SELECT json_agg((attname, attnotnull, attstorage, attgenerated) ORDER BY attnum) FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0) AS columns,
           (SELECT json_agg((pg_get_constraintdef(oid), coninhcount, conislocal) ORDER BY conname) FROM pg_constraint WHERE conrelid = c.oid) AS constraints,
           (SELECT json_agg((replace(pg_get_indexdef(indexrelid), c.relname, '…'), (SELECT count(*) FROM pg_inherits WHERE inhrelid = indexrelid)) ORDER BY indexrelid)
            FROM pg_index WHERE indrelid = c.oid) AS indexes,
           reloptions FROM pg_class c WHERE oid = $1::regclass`,
        [name],
      );
    const [made] = await described(nameOf(1));
    const [usual] = await described('outbox_p20200101');
    expect(JSON.stringify(made).replaceAll(nameOf(1), 'outbox_p20200101')).toBe(JSON.stringify(usual));
  });

  it('is not made where rows of its time are in the default partition, and the others are', async () => {
    await maintain();
    await database.query(`DROP TABLE ${nameOf(1)}, ${nameOf(2)}`);
    await database.query('INSERT INTO outbox (id) VALUES ($1)', [lowestIdOf(Date.now() + dayMs)]);
    await maintain();
    expect(await names()).toEqual(expected.filter((name) => name !== nameOf(1)));
    expect(warnings).toEqual([expect.stringContaining(`${nameOf(1)} cannot be made`)]);
  });
});
