import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneDatabase, type TestDatabase } from '@posthorn/testing';
import { openDatabase } from './data-source.js';
import type { Database } from './database.js';
import { isOutcomeInDoubt, isPoisonedRow } from './database-error.js';
import { bareParts } from './testing/bare-parts.js';

const ownConnection = `SELECT pg_backend_pid() AS pid`;

describe('a statement outside of a transaction', () => {
  let clone: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    clone = await cloneDatabase('statements', bareParts);
    database = await openDatabase({ url: clone.url, name: 'statements', poolSize: 1, ...bareParts });
  });
  afterAll(async () => {
    await database.close();
    await clone.drop();
  });

  it('that is refused gives its connection back as it is, and says who asked', async () => {
    const before = await database.query(ownConnection);
    const refused = await asked(`SELECT $1::int / 0`, [1]);
    expect(isPoisonedRow(refused)).toBe(true);
    expect((refused as Error).stack).toContain('database.db.spec');
    expect(await database.query(ownConnection)).toEqual(before);
    expect(database.pools[0]).toMatchObject({ total: 1, idle: 1 });
  });

  it('whose connection ends is told so, and the next one has another connection', async () => {
    const [before] = await database.query<{ pid: number }>(ownConnection);
    expect(isOutcomeInDoubt(await asked(`SELECT pg_terminate_backend(pg_backend_pid())`))).toBe(true);
    const [after] = await database.query<{ pid: number }>(ownConnection);
    expect(after!.pid).not.toBe(before!.pid);
    expect(database.pools[0]).toMatchObject({ total: 1, idle: 1 });
  });

  it('of several in one text has no rows', async () => {
    expect(await database.query('SELECT 1 AS one; SELECT 2 AS two')).toEqual([]);
  });

  it('leaves nothing of its rows to the old generation', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as (how?: { type: 'minor' }) => void;
    const ask = () => database.query(`SELECT repeat('row', 100) || n AS text FROM generate_series(1, 200) AS n`);
    // What is compiled and kept once is not what is meant.
    for (let turn = 0; turn < 100; turn += 1) await ask();
    collect();
    const before = oldBytes();
    for (let turn = 0; turn < 100; turn += 1) {
      await ask();
      collect({ type: 'minor' });
    }
    // Where connections were given back later, it was two and a half megabytes.
    expect(oldBytes() - before).toBeLessThan(1_000_000);
  });

  const asked = (sql: string, parameters: unknown[] = []): Promise<unknown> =>
    database.query(sql, parameters).then(
      () => null,
      (error: unknown) => error,
    );
});

const oldBytes = (): number => getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')!.space_used_size;
