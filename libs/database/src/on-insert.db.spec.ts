import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { cloneDatabase, type TestDatabase } from '@posthorn/testing';
import { openDatabase } from './data-source.js';
import type { Database } from './database.js';
import { bareParts } from './testing/bare-parts.js';

let clone: TestDatabase;
let database: Database;
let notified = 0;
let stop: () => void;

beforeAll(async () => {
  clone = await cloneDatabase('on_insert', bareParts);
  database = await openDatabase({
    url: clone.url,
    name: 'on-insert',
    poolSize: 2,
    connectTimeoutMs: 30_000,
    ...bareParts,
  });
  await database.query(
    'CREATE TABLE watched (id int); CREATE TABLE watched_too (id int); CREATE TABLE other (id int)',
  );
  stop = database.onInsert(['watched', 'watched_too'], () => {
    notified += 1;
  });
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});
beforeEach(() => {
  notified = 0;
});

const insert = (table: string) => database.query(`INSERT INTO ${table} VALUES (1)`);

describe('a listener to inserts', () => {
  it('is called once after the commit of a transaction, however many rows it inserted', async () => {
    await database.transaction(async () => {
      await insert('watched');
      await insert('watched_too');
      expect(notified).toBe(0);
    });
    expect(notified).toBe(1);
  });

  it('is not called by a transaction that is rolled back', async () => {
    const failing = database.transaction(async () => {
      await insert('watched');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(notified).toBe(0);
  });

  it('is not called by what inserts elsewhere', async () => {
    await database.transaction(() => insert('other'));
    await insert('other');
    await database.query('SELECT * FROM watched');
    expect(notified).toBe(0);
  });

  it('is called by a statement that commits by itself, also where the insert is only a part of it', async () => {
    await insert('watched');
    const sql = 'WITH one AS (INSERT INTO watched VALUES (1) RETURNING id) SELECT id FROM one';
    await database.prepared({ name: 'watched', sql, parameters: [] });
    await database.transactionInOneWrite([{ name: 'watched', sql, parameters: [] }]);
    expect(notified).toBe(3);
  });

  it('is not called any more once it has stopped', async () => {
    stop();
    await insert('watched');
    expect(notified).toBe(0);
  });
});
