import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cloneDatabase, type TestDatabase } from '@posthorn/testing';
import { openDatabase } from '../data-source.js';
import type { Database } from '../database.js';
import { maintainPartitions, type PartitionPlan } from './partitions.js';
import { lowestIdOf } from './ids.js';
import { bareParts } from '../testing/bare-parts.js';

describe('partitions', () => {
  const plan: PartitionPlan = { table: 'outbox', days: 1, retentionDays: 7 };
  let clone: TestDatabase;
  let replicas: Database[];

  beforeAll(async () => {
    clone = await cloneDatabase('partitions', bareParts);
    replicas = await Promise.all(
      Array.from({ length: 4 }, (_, index) =>
        openDatabase({
          url: clone.url,
          name: `replica-${index}`,
          poolSize: 2,
          connectTimeoutMs: 30_000,
          ...bareParts,
        }),
      ),
    );
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    await clone.drop();
  });

  const names = async () => {
    const rows = await replicas[0]!.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'outbox'::regclass ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  };
  const day = (offset: number) =>
    new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');

  it('are created and dropped once by replicas that start together', async () => {
    for (let round = 0; round < 5; round += 1) {
      for (const name of await names()) await replicas[0]!.query(`DROP TABLE ${name}`);
      await replicas[0]!.query(`CREATE TABLE outbox_p20200101 PARTITION OF outbox FOR VALUES FROM
        ('016f5e66-e800-0000-0000-000000000000') TO ('016f638d-4400-0000-0000-000000000000')`);
      await Promise.all(replicas.map((replica) => maintainPartitions(replica, [plan])));
      expect(await names()).toEqual([0, 1, 2, 3].map((offset) => `outbox_p${day(offset)}`));
    }
  });

  it('of the time of a wrong clock have one place, whose rows leave when they are as old, unless they are still needed', async () => {
    const [database] = replicas;
    await database!.query(`CREATE TABLE outbox_default PARTITION OF outbox DEFAULT`);
    const old = lowestIdOf(Date.now() - 8 * 86_400_000);
    const kept = lowestIdOf(Date.now() - 6 * 86_400_000);
    for (const id of [old, kept]) await database!.query(`INSERT INTO outbox_default (id) VALUES ($1)`, [id]);
    const ids = async () =>
      (await database!.query<{ id: string }>(`SELECT id FROM outbox_default ORDER BY id`)).map(
        ({ id }) => id,
      );
    await maintainPartitions(database!, [{ ...plan, keptWhile: () => 'true' }]);
    expect(await ids()).toEqual([old, kept]);
    await maintainPartitions(database!, [plan]);
    expect(await ids()).toEqual([kept]);
  });
});
