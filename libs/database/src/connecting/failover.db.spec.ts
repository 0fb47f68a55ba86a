import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startStandby, type PostgresServer } from '@posthorn/dev';
import { eventually } from '@posthorn/testing';
import pg from 'pg';
import { openDatabase } from '../data-source.js';
import type { Database } from '../database.js';
import { isDatabaseAway, mayHaveCommitted } from '../database-error.js';
import { durabilityProblem } from './durability.js';
import { provisionDatabase } from '../provision.js';
import { RefusedDatabase } from './refused-database.js';
import { bareParts } from '../testing/bare-parts.js';
import { startOwnServer, type OwnServer } from '../testing/own-server.js';

const secretKey = 'a-secret-that-only-the-tests-know-0123456789';
let own: OwnServer;
let url: string;
beforeAll(async () => {
  own = await startOwnServer({ wal_keep_size: '256MB' });
  url = await provisionDatabase({ adminUrl: own.server.url, service: 'failing', secretKey });
});
afterAll(() => own.stop());

const open = (options: { allowAsyncStandby?: boolean; url?: string } = {}) =>
  openDatabase({ url, name: 'failing', poolSize: 2, connectTimeoutMs: 30_000, ...bareParts, ...options });

async function asAdmin(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: own.server.url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe('a service whose server became read-only', () => {
  let database: Database;
  beforeAll(async () => {
    database = await open();
    await database.query('CREATE TABLE things (id int)');
  });
  afterAll(() => database.close());

  it.each([
    ['outside of a transaction', () => database.query('INSERT INTO things VALUES (1)')],
    ['in a transaction', () => database.transaction(() => database.query('INSERT INTO things VALUES (1)'))],
    [
      'in the hot pool',
      () => database.prepared({ name: 'insert', sql: 'INSERT INTO things VALUES (1)', parameters: [] }),
    ],
  ])('counts as away, committed nothing, and is connected to anew: %s', async (_, insert) => {
    await asAdmin('ALTER DATABASE posthorn_failing SET default_transaction_read_only = on');
    await database.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
    const error = await failure(insert());
    expect([error, isDatabaseAway(error), mayHaveCommitted(error)]).toEqual([
      expect.objectContaining({ message: expect.stringContaining('read-only transaction') }),
      true,
      false,
    ]);
    await asAdmin('ALTER DATABASE posthorn_failing RESET default_transaction_read_only');
    await insert();
  });
});

it('lends no connection that is older than a failure of another one', async () => {
  const database = await open();
  const pid = () => database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid, pg_sleep(0.2)');
  const hotPid = () =>
    database.prepared<{ pid: number }>({
      name: 'pid',
      sql: 'SELECT pg_backend_pid() AS pid',
      parameters: [],
    });
  const before = (await Promise.all([pid(), pid(), hotPid()])).map(([row]) => row!.pid);
  await database.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
  const after = (await Promise.all([pid(), pid(), hotPid()])).map(([row]) => row!.pid);
  expect(after.filter((each) => before.includes(each))).toEqual([]);
  await database.close();
});

describe('a server with a standby', () => {
  let standby: PostgresServer;
  beforeAll(async () => {
    standby = await startStandby({
      dataDirectory: join(own.root, 'standby'),
      primary: { ...own.server, dataDirectory: join(own.root, 'primary') },
    });
    await eventually(async () => {
      const client = new pg.Client({ connectionString: own.server.url });
      await client.connect();
      const { rowCount } = await client.query('SELECT FROM pg_stat_replication');
      await client.end();
      return rowCount === 1;
    }, 'the standby follows');
  });
  afterAll(() => standby.stop());

  it('that is not synchronous is refused, unless the loss is accepted', async () => {
    const error = await failure(open());
    expect(error).toBeInstanceOf(RefusedDatabase);
    expect((error as Error).message).toMatch(/synchronous_standby_names.*ALLOW_ASYNC_STANDBY=true/);
    const database = await open({ allowAsyncStandby: true });
    expect(await durabilityProblem(database)).toMatch(/when its standby takes over/);
    await database.close();
  });

  it('that is synchronous serves, until somebody changes it', async () => {
    await asAdmin(`ALTER SYSTEM SET synchronous_standby_names = '*'`, 'SELECT pg_reload_conf()');
    const database = await open({ allowAsyncStandby: true });
    await eventually(async () => (await durabilityProblem(database)) === null, 'the setting is in force');
    const strict = await open();
    await asAdmin(`ALTER SYSTEM RESET synchronous_standby_names`, 'SELECT pg_reload_conf()');
    await eventually(async () => (await durabilityProblem(strict)) !== null, 'the change is noticed');
    await Promise.all([database.close(), strict.close()]);
  });

  it('is no server to start on, and counts as away, where the standby itself answers', async () => {
    const there = new URL(url);
    there.port = String(standby.port);
    const error = await failure(open({ url: there.href }));
    expect([isDatabaseAway(error), (error as Error).message]).toEqual([
      true,
      'the server is a standby, which takes no writes',
    ]);
  });
});

describe('the roles of a service', () => {
  it('without their settings are refused, with what to do', async () => {
    await asAdmin('ALTER ROLE posthorn_failing_hot RESET enable_seqscan');
    const error = await failure(open({ allowAsyncStandby: true }));
    expect((error as Error).message).toBe(
      'the role posthorn_failing_hot lacks enable_seqscan = off: run the job `provision`, or ALTER ROLE posthorn_failing_hot SET … (docs/deploying.md), and reconnect the pooler',
    );
    await provisionDatabase({ adminUrl: own.server.url, service: 'failing', secretKey });
    await (await open({ allowAsyncStandby: true })).close();
  });
});
