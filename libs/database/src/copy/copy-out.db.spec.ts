import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneDatabase, DatabaseLine, type TestDatabase } from '@posthorn/testing';
import { withLiterals } from './copy-out.js';
import { openDatabase } from '../data-source.js';
import { isDatabaseAway, mayHaveCommitted } from '../database-error.js';
import type { Database } from '../database.js';
import { bareParts } from '../testing/bare-parts.js';

let clone: TestDatabase;
let line: DatabaseLine;
let database: Database;
beforeAll(async () => {
  clone = await cloneDatabase('copies', bareParts);
  line = await DatabaseLine.open(clone.url);
  // Several copies share one connection, on a machine that may be busy.
  database = await openDatabase({
    url: line.url,
    name: 'copies',
    poolSize: 1,
    connectTimeoutMs: 15_000,
    ...bareParts,
  });
});
afterAll(async () => {
  await database.close();
  await line.close();
  await clone.drop();
});

const megabyte = 1024 * 1024;
/** Values of a megabyte each, whose bytes are their index. */
const megabytes = (count: number, location = 'n') =>
  `SELECT decode(repeat(lpad(to_hex(${location}), 2, '0'), ${megabyte}), 'hex') FROM generate_series(1, ${count}) AS n`;

async function read(select: string, parameters: (string | number)[] = []): Promise<Buffer> {
  const taken: Buffer[] = [];
  await database.copyOut(select, parameters, (bytes) => taken.push(Buffer.from(bytes)));
  return Buffer.concat(taken);
}

/** The same connection: the pool has one. */
const backend = async () => (await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid'))[0]!.pid;

describe('copyOut', () => {
  it('passes the bytes of all values in order, in pieces that are much smaller than the whole', async () => {
    let largest = 0;
    let taken = 0;
    await database.copyOut(megabytes(20), [], (bytes) => {
      largest = Math.max(largest, bytes.length);
      for (const index of [0, bytes.length - 1])
        expect(bytes[index]).toBe(Math.floor((taken + index) / megabyte) + 1);
      taken += bytes.length;
    });
    expect(taken).toBe(20 * megabyte);
    expect(largest).toBeLessThanOrEqual(megabyte);
  });

  it('passes nothing for no row, NULL or an empty value', async () => {
    expect(await read('SELECT NULL::bytea WHERE false')).toHaveLength(0);
    expect(await read(`VALUES (NULL), (''::bytea), ('\\x2a')`)).toEqual(Buffer.from('*'));
  });

  it('treats parameters as values, never as SQL', async () => {
    const odd = `'; DROP TABLE x; -- \\' $1 $2`;
    expect((await read(`SELECT convert_to($2 || $1, 'UTF8')`, [odd, 'a$1'])).toString()).toBe(`a$1${odd}`);
    expect((await read(`SELECT decode('2a2b', 'hex') WHERE $1 = 7::smallint`, [7])).toString()).toBe('*+');
    expect(() => withLiterals('SELECT $2', ['one'])).toThrow('there is no parameter $2');
  });

  it('joins the ambient transaction', async () => {
    await database.transaction(async () => {
      await database.query(`CREATE TEMPORARY TABLE stored ON COMMIT DROP AS SELECT '\\x2a'::bytea AS data`);
      expect(await read('SELECT data FROM stored')).toEqual(Buffer.from('*'));
    });
  });

  it('runs one after another on a single connection', async () => {
    const requested = await Promise.all(
      Array.from({ length: 5 }, (_, index) => read(megabytes(2, `${index + 1}`))),
    );
    requested.forEach((bytes, index) =>
      expect(bytes.equals(Buffer.alloc(2 * megabyte, index + 1))).toBe(true),
    );
  });
});

describe('a copy that fails', () => {
  it('halfway by a server error leaves the connection usable', async () => {
    const before = await backend();
    await expect(
      read(`SELECT repeat('x', ${megabyte} / (11 - n))::bytea FROM generate_series(1, 20) AS n`),
    ).rejects.toThrow('division by zero');
    expect(await backend()).toBe(before);
    expect(await read(megabytes(1))).toHaveLength(megabyte);
  });

  it('because its consumer throws rejects with that error and leaves the connection usable', async () => {
    const before = await backend();
    let times = 0;
    const failing = database.copyOut(megabytes(5), [], () => {
      times += 1;
      throw new Error('no room');
    });
    await expect(failing).rejects.toThrow('no room');
    expect(times).toBe(1);
    expect(await backend()).toBe(before);
  });

  it('because it is not one column of bytes leaves the connection usable', async () => {
    const before = await backend();
    await expect(read('SELECT 1, 2')).rejects.toThrow('has 2 columns');
    expect(await backend()).toBe(before);
  });

  it('by its time limit is an unavailable database', async () => {
    const slow = database.transaction(async () => {
      await database.query(`SET LOCAL statement_timeout = 100`);
      await read(
        `SELECT CASE WHEN pg_sleep(0.02) IS NOT NULL THEN '\\x2a'::bytea END FROM generate_series(1, 50)`,
      );
    });
    expect(isDatabaseAway(await slow.catch((error: unknown) => error))).toBe(true);
    expect(await read(megabytes(1))).toHaveLength(megabyte);
  });

  it('with its connection does not use that connection again', async () => {
    const before = await backend();
    const ending = read(
      `SELECT repeat('x', CASE WHEN n = 10 AND pg_terminate_backend(pg_backend_pid()) THEN 1 ELSE ${megabyte} END)::bytea FROM generate_series(1, 20) AS n`,
    );
    expect(isDatabaseAway(await ending.catch((error: unknown) => error))).toBe(true);
    expect(await backend()).not.toBe(before);
    expect(await read(megabytes(1))).toHaveLength(megabyte);
  });

  it('because the connection breaks rejects, and the next one uses another connection', async () => {
    let taken = 0;
    const cut = database.copyOut(megabytes(50), [], (bytes) => {
      if (taken === 0) line.cut();
      taken += bytes.length;
    });
    expect(mayHaveCommitted(await cut.catch((error: unknown) => error))).toBe(true);
    expect(taken).toBeLessThan(50 * megabyte);
    line.fix();
    expect(await read(megabytes(1))).toHaveLength(megabyte);
  });
});
