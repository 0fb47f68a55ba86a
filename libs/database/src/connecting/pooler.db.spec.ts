import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { byWayOf, poolerBinary, startPooler } from '@posthorn/dev';
import { openDatabase } from '../data-source.js';
import { migrate } from '../migrate.js';
import { provisionAt, provisionDatabase } from '../provision.js';
import { hotUrl } from './roles.js';
import { bareParts } from '../testing/bare-parts.js';
import { startOwnServer, type OwnServer } from '../testing/own-server.js';

const secretKey = 'a-secret-that-only-the-tests-know-0123456789';
const isHere = (await poolerBinary()) !== null;

/** It is needed by name: PgBouncer 1.21 or newer. */
(isHere ? describe : describe.skip)('a database behind PgBouncer in transaction mode', () => {
  let own: OwnServer;
  let pooler: Awaited<ReturnType<typeof startPooler>>;
  let url: string;
  let adminUrl: string;

  beforeAll(async () => {
    own = await startOwnServer();
    const direct = await provisionDatabase({ adminUrl: own.server.url, service: 'pooled', secretKey });
    const databases = [direct, hotUrl(direct), own.server.url];
    pooler = await startPooler({ directory: join(own.root, 'pooler'), databases, poolSize: 4 });
    [url, adminUrl] = [byWayOf(pooler, direct), byWayOf(pooler, own.server.url)];
  });
  afterAll(async () => {
    await pooler.stop();
    await own.stop();
  });

  const open = (name: string) =>
    openDatabase({ url, name, poolSize: 4, connectTimeoutMs: 30_000, ...bareParts });

  it('is provisioned and migrated by several at once, again and again', async () => {
    for (let round = 0; round < 3; round += 1)
      await Promise.all([provisionAt(adminUrl, url), provisionAt(adminUrl, url), provisionAt(adminUrl, url)]);
    const processes = await Promise.all(['one', 'two', 'three'].map(open));
    const applied = await Promise.all(processes.map((database) => migrate(database)));
    expect(applied.toSorted()).toEqual([0, 0, bareParts.migrations.length]);
    await Promise.all(processes.map((database) => database.close()));
  });

  it('has the planner settings of the hot pool and both timeouts', async () => {
    const database = await open('settings');
    const settings = `SELECT current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS idle,
      current_setting('plan_cache_mode') AS plans, current_setting('enable_seqscan') AS scans`;
    const limits = { statement: '1min', idle: '1min' };
    expect(await database.query(settings)).toEqual([{ ...limits, plans: 'auto', scans: 'on' }]);
    const prepared = () => database.prepared({ name: 'settings', sql: settings, parameters: [] });
    for (const rows of await Promise.all(Array.from({ length: 20 }, prepared)))
      expect(rows).toEqual([{ ...limits, plans: 'force_generic_plan', scans: 'off' }]);
    await database.close();
  });

  it('refuses a migration that needs a session, and says what to set', async () => {
    class MakeIndex1700000000009 {
      transaction = false;
      up = async () => undefined;
      down = async () => undefined;
    }
    const migrations = [...bareParts.migrations, MakeIndex1700000000009];
    const database = await openDatabase({ url, name: 'apart', poolSize: 2, entities: [], migrations });
    await expect(migrate(database)).rejects.toThrow(/MakeIndex.* needs a session.*_DIRECT_DATABASE_URL/);
    await database.close();
  });

  it('ends a transaction that takes too long at the server, and no other', async () => {
    const database = await open('limited');
    await database.query('CREATE TABLE held (id int)');
    const tooLong = database.transaction(
      async () => {
        await database.query('LOCK TABLE held');
        await database.query('SELECT pg_sleep(60)');
      },
      { limitMs: 300 },
    );
    await expect(tooLong).rejects.toThrow(/took longer/);
    // Waits for the lock of the transaction that was ended.
    expect(await database.query('SELECT FROM held')).toEqual([]);
    await database.close();
  });
});
