import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneDatabase, eventually, type TestDatabase } from '@posthorn/testing';
import { openDatabase } from './data-source.js';
import type { Database } from './database.js';
import { TransactionEnded, TransactionTimedOut } from './transaction-limits.js';
import { bareParts } from './testing/bare-parts.js';

describe('work that outlives its transaction', () => {
  let clone: TestDatabase;
  let database: Database;

  beforeAll(async () => {
    clone = await cloneDatabase('ended', bareParts);
    database = await openDatabase({
      url: clone.url,
      name: 'ended',
      poolSize: 2,
      connectTimeoutMs: 30_000,
      ...bareParts,
    });
    await database.query(`CREATE TABLE notes (text text PRIMARY KEY)`);
  });
  afterAll(async () => {
    await database.close();
    await clone.drop();
  });

  const note = (text: string) => database.query(`INSERT INTO notes VALUES ($1)`, [text]);
  const notes = async () =>
    (await database.query<{ text: string }>(`SELECT text FROM notes ORDER BY 1`)).map(({ text }) => text);
  const ways: [string, (text: string) => Promise<unknown>][] = [
    ['query', note],
    [
      'prepared',
      (text) => database.prepared({ name: 'note', sql: `INSERT INTO notes VALUES ($1)`, parameters: [text] }),
    ],
    ['manager', async (text) => database.manager.query(`INSERT INTO notes VALUES ('${text}')`)],
    ['copyOut', (text) => database.copyOut(`SELECT '${text}'::bytea`, [], () => undefined)],
    ['transaction', (text) => database.transaction(() => note(text))],
  ];

  it.each(ways)('cannot go on by %s after a rollback', async (name, write) => {
    const late = Promise.withResolvers<void>();
    let later: Promise<unknown> | undefined;
    const failed = database.transaction(async () => {
      await note(`before ${name}`);
      later = late.promise.then(() => write(`after ${name}`));
      throw new Error('fails');
    });
    await expect(failed).rejects.toThrow('fails');
    late.resolve();
    await expect(later).rejects.toThrow(TransactionEnded);
    expect(await notes()).toEqual([]);
  });

  it('cannot go on after a commit either', async () => {
    const late = Promise.withResolvers<void>();
    let later: Promise<unknown> | undefined;
    await database.transaction(async () => {
      await note('committed');
      later = late.promise.then(() => note('late'));
    });
    late.resolve();
    await expect(later).rejects.toThrow(TransactionEnded);
    expect(await notes()).toEqual(['committed']);
  });

  it('releases its locks at the time limit, although its statement still runs', async () => {
    const [{ connections: before } = { connections: 0 }] = await openConnections();
    const hung = database.transaction(
      async () => {
        await note('locked');
        await database.query(`SET LOCAL statement_timeout = 0`);
        await database.query(`SELECT pg_sleep(3600)`);
      },
      { limitMs: 200 },
    );
    await expect(hung).rejects.toThrow(TransactionTimedOut);
    await eventually(
      async () =>
        (
          await database.query(
            `SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(3600)%' AND pid <> pg_backend_pid()`,
          )
        ).length === 0,
      'the statement is cancelled',
    );
    await note('locked');
    expect(await notes()).toEqual(['committed', 'locked']);
    expect((await openConnections())[0]!.connections).toBeLessThanOrEqual(Math.max(before, 2));
  });

  const openConnections = () =>
    database.query<{ connections: number }>(
      `SELECT count(*)::int AS connections FROM pg_stat_activity WHERE application_name = 'ended'`,
    );
});
