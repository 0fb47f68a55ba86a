import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { lowestIdOf, maintainPartitions, newId, openDatabase, type Database } from '@posthorn/database';
import { cloneDatabase, type TestDatabase } from '@posthorn/testing';
import { effectsTable } from '../testing/effects-table.js';
import { outboxPartitions } from './outbox.repository.js';

let clone: TestDatabase;
let database: Database;
beforeAll(async () => {
  clone = await cloneDatabase('relay', effectsTable);
  database = await openDatabase({
    url: clone.url,
    name: 'outbox-partitions',
    poolSize: 4,
    connectTimeoutMs: 30_000,
    ...effectsTable,
  });
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

describe('an old partition of the outbox', () => {
  const [start, end] = [Date.UTC(2020, 0, 1), Date.UTC(2020, 0, 2)];
  let warnings: string[];
  beforeEach(async () => {
    warnings = [];
    await database.query(
      `CREATE TABLE outbox_p20200101 PARTITION OF outbox FOR VALUES FROM ('${lowestIdOf(start)}') TO ('${lowestIdOf(end)}')`,
    );
  });

  const maintain = () => maintainPartitions(database, [outboxPartitions(7)], (line) => warnings.push(line));
  const exists = async () =>
    (await database.query(`SELECT to_regclass('outbox_p20200101') AS name`))[0]!['name'] !== null;
  const write = (columns: string) =>
    database.query(
      `INSERT INTO outbox (id, project_id, event_name, items, published_at, quarantined_at) SELECT $1, gen_random_uuid(), 'a.b.c', '[]', ${columns}`,
      [lowestIdOf(start + 1_000).slice(0, 24) + newId().slice(24)],
    );

  it.each([
    ['unpublished', 'NULL, NULL'],
    ['quarantined', 'NULL, now()'],
  ])('is kept while an event in it is %s, with a warning each time', async (_, columns) => {
    await write('now(), NULL');
    await write(columns);
    await maintain();
    await maintain();
    expect(await exists()).toBe(true);
    expect(warnings).toEqual([
      expect.stringContaining('outbox_p20200101'),
      expect.stringContaining('outbox_p20200101'),
    ]);
    await database.query('UPDATE outbox SET published_at = now() WHERE published_at IS NULL');
    await maintain();
    expect(await exists()).toBe(false);
    expect(warnings).toHaveLength(2);
  });

  it('is dropped when all its events are published, and whatever is unpublished elsewhere', async () => {
    await write('now(), NULL');
    await database.query(
      `INSERT INTO outbox (id, project_id, event_name, items) SELECT $1, gen_random_uuid(), 'a.b.c', '[]'`,
      [newId()],
    );
    await maintain();
    expect([await exists(), warnings]).toEqual([false, []]);
  });
});
