import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { cloneDatabase, type TestDatabase } from '@posthorn/testing';
import type { Pool, PoolClient } from 'pg';
import { openDatabase, type QueryRunner } from './data-source.js';
import type { Database } from './database.js';
import { migrate } from './migrate.js';
import { bareParts } from './testing/bare-parts.js';

let clone: TestDatabase;
let database: Database;
beforeAll(async () => {
  clone = await cloneDatabase('errors', bareParts);
  database = await openDatabase({ url: clone.url, name: 'errors', poolSize: 2, ...bareParts });
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

it('does not end the process when a connection breaks in the instant in which it is lent', async () => {
  const pool = (database.source.driver as unknown as { master: Pool }).master;
  const lent = await new Promise<{ client: PoolClient; release: (error: Error) => void }>((resolve, reject) => {
    pool.connect((error, client, release) => (error ? reject(error) : resolve({ client: client!, release })));
  });
  const broken = new Error('terminating connection due to unexpected postmaster exit');
  try {
    // Nobody who borrows it has had the time to listen: an error that nobody hears is thrown.
    expect(lent.client.emit('error', broken)).toBe(true);
  } finally {
    lent.release(broken);
  }
  expect(await database.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

it('gives a migration all the time that it takes, and whoever asks afterwards a minute', async () => {
  class TakesLong1700000000001 {
    up = (runner: QueryRunner) => runner.query(`CREATE TABLE had AS SELECT current_setting('statement_timeout') AS patience`);
    down = (runner: QueryRunner) => runner.query('DROP TABLE had');
  }
  const migrations = [...bareParts.migrations, TakesLong1700000000001];
  const migrated = await openDatabase({ url: clone.url, name: 'migrated', poolSize: 1, entities: [], migrations });
  try {
    expect(await migrate(migrated)).toBe(1);
    expect(await migrated.query(`SELECT patience, current_setting('statement_timeout') AS now FROM had`)).toEqual([
      { patience: '0', now: '1min' },
    ]);
  } finally {
    await migrated.close();
  }
});
