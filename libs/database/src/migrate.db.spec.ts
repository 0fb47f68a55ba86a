import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { cloneDatabase, eventually, lockWaiters, type TestDatabase } from '@posthorn/testing';
import { openDatabase, type DatabaseOptions, type QueryRunner } from './data-source.js';
import type { Database } from './database.js';
import { migrate } from './migrate.js';
import { bareParts } from './testing/bare-parts.js';
import { holdTable } from './testing/hold-table.js';

let clone: TestDatabase;
let database: Database;
let replicas: Database[];
beforeAll(async () => {
  clone = await cloneDatabase('migrate', bareParts);
  database = await openDatabase({
    url: clone.url,
    name: 'migrate',
    poolSize: 4,
    connectTimeoutMs: 30_000,
    ...bareParts,
  });
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});
beforeEach(async () => {
  replicas = [];
  await database.query('DROP TABLE IF EXISTS big; CREATE TABLE big (id int)');
  await database.query(`DELETE FROM migrations WHERE timestamp > 1700000000000`);
});
afterEach(() => Promise.all(replicas.map((replica) => replica.close())));

type Migrations = Extract<NonNullable<DatabaseOptions['migrations']>, readonly unknown[]>;

async function replicaWith(migrations: Migrations): Promise<Database> {
  const replica = await openDatabase({
    url: clone.url,
    name: `replica-${replicas.length}`,
    poolSize: 2,
    connectTimeoutMs: 30_000,
    entities: [],
    migrations: [...bareParts.migrations, ...migrations],
  });
  replicas.push(replica);
  return replica;
}

class AddColumn1700000000002 {
  up = (runner: QueryRunner) => runner.query('ALTER TABLE big ADD COLUMN name text');
  down = (runner: QueryRunner) => runner.query('ALTER TABLE big DROP COLUMN name');
}

describe('a replica that starts while another one migrates', () => {
  it('does not stop it from making an index concurrently', async () => {
    let goOn!: () => void;
    const isWaitedFor = new Promise<void>((resolve) => (goOn = resolve));
    class MakeIndex1700000000001 {
      transaction = false;
      up = async (runner: QueryRunner) => {
        await isWaitedFor;
        await runner.query('CREATE INDEX CONCURRENTLY big_by_id ON big (id)');
      };
      down = (runner: QueryRunner) => runner.query('DROP INDEX big_by_id');
    }
    const [one, other] = [
      await replicaWith([MakeIndex1700000000001]),
      await replicaWith([MakeIndex1700000000001]),
    ];
    const lines: string[] = [];
    const migrations = [migrate(one)];
    await eventually(
      async () =>
        (
          await database.query(
            `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' AND granted AND datname = current_database()`,
          )
        ).length > 0,
      'the first has the lock',
    );
    migrations.push(migrate(other, (line) => lines.push(line)));
    await eventually(
      async () => lines.length > 0 || (await lockWaiters(database, { locktype: 'advisory' })).length > 0,
      'the second waits',
    );
    goOn();
    expect(await Promise.all(migrations)).toEqual([1, 0]);
    expect(lines).toEqual([expect.stringContaining('another process migrates')]);
    expect(
      await database.query(`SELECT indisvalid FROM pg_index WHERE indexrelid = 'big_by_id'::regclass`),
    ).toEqual([{ indisvalid: true }]);
  });
});

describe('a migration of a table that another session reads', () => {
  it('lets others write to it, and is made when the session has left', async () => {
    const leave = await holdTable(database, 'big');
    const replica = await replicaWith([AddColumn1700000000002]);
    const lines: string[] = [];
    const migration = migrate(replica, (line) => lines.push(line));
    await eventually(
      async () => lines.length > 0 || (await lockWaiters(database, { relation: 'big' })).length > 0,
      'it waits',
    );
    const began = performance.now();
    const tooLong = setTimeout(() => void leave(), 30_000);
    await database.query('INSERT INTO big VALUES (1)');
    clearTimeout(tooLong);
    expect(performance.now() - began).toBeLessThan(15_000);
    await eventually(async () => lines.length > 0, 'it says so');
    expect(lines).toEqual([expect.stringMatching(/AddColumn1700000000002 waits for a table/)]);
    await leave();
    expect(await migration).toBe(1);
    expect(await database.query('SELECT name FROM big')).toEqual([{ name: null }]);
  });

  it('is given up after a while, with what to do, and what came before it stays', async () => {
    class Before1700000000001 {
      up = (runner: QueryRunner) => runner.query('CREATE TABLE IF NOT EXISTS before_it (id int)');
      down = (runner: QueryRunner) => runner.query('DROP TABLE before_it');
    }
    const leave = await holdTable(database, 'big');
    const replica = await replicaWith([Before1700000000001, AddColumn1700000000002]);
    await expect(migrate(replica, undefined, { limitMs: 1_000 })).rejects.toThrow(
      /AddColumn1700000000002 got no lock within 1 s: end the sessions/,
    );
    await leave();
    expect(await migrate(replica)).toBe(1);
  });

  it('leaves the connection with the timeouts that it had', async () => {
    const replica = await openDatabase({
      url: clone.url,
      name: 'one',
      poolSize: 1,
      entities: [],
      migrations: [...bareParts.migrations, AddColumn1700000000002],
    });
    replicas.push(replica);
    await migrate(replica);
    expect(
      await replica.query(
        `SELECT current_setting('lock_timeout') AS lock, current_setting('statement_timeout') AS statement`,
      ),
    ).toEqual([{ lock: '0', statement: '1min' }]);
  });
});
