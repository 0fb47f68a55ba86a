import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { firstKeptId, lowestIdOf, maintainPartitions, newId } from '@posthorn/database';
import { readConfig } from '@posthorn/platform';
import { eventually, openServiceFixture, type ServiceFixture } from '@posthorn/testing';
import { SendingConfig } from '../config.js';
import { entities, migrations } from '../data-source.js';
import { sending, startSending } from '../service.js';
import { deleteOldSql, OldDeliveriesRepository } from './old-deliveries.repository.js';

const dayMs = 86_400_000;
const names = ['emails', 'email_events', 'engagements', 'email_contents', 'email_attachments'];

/** Without the service, which would maintain its partitions, too. */
let suite: ServiceFixture;
beforeAll(async () => {
  suite = await openServiceFixture('sending', { entities, migrations });
});
afterAll(() => suite.close());
afterEach(() => suite.database.query('DELETE FROM deliveries'));

/** The start of the span of so many days in which the time lies, as partitions begin. */
const startOf = (days: number, time: number) => Math.floor(time / (days * dayMs)) * days * dayMs;
const idAt = (time: number) => lowestIdOf(time).slice(0, 24) + newId().slice(24);

const plans = () => sending.partitions!(readConfig(SendingConfig, suite.environment));
const daysOf = (table: string) => plans().find((plan) => plan.table === table)!.days;

async function buildOldPartition(table: string, time: number): Promise<string> {
  const start = startOf(daysOf(table), time);
  const name = `${table}_p${new Date(start).toISOString().slice(0, 10).replaceAll('-', '')}`;
  await suite.database.query(
    `CREATE TABLE ${name} PARTITION OF ${table} FOR VALUES FROM ('${lowestIdOf(start)}') TO ('${lowestIdOf(start + daysOf(table) * dayMs)}')`,
  );
  return name;
}

async function buildDelivery(
  state: string,
  {
    id = newId(),
    contentId = id,
    projectId = newId(),
  }: { id?: string; contentId?: string; projectId?: string } = {},
): Promise<string> {
  await suite.database.query(
    `INSERT INTO emails (project_id, id, content_id, from_email, to_email, subject, status) VALUES ($1, $2, $3, 'a@b.example', 'c@d.example', 'Old', 'PENDING')`,
    [projectId, id, contentId],
  );
  await suite.database.query(
    `INSERT INTO deliveries (project_id, email_id, recipient, lane, state, due_at, expires_at, bytes)
     VALUES ($1, $2, 'c@d.example', 0, $3, now() + interval '1 day', now() + interval '2 days', 1)`,
    [projectId, id, state],
  );
  return id;
}

const finish = (id: string) =>
  suite.database.query(`UPDATE deliveries SET state = 'SENT' WHERE email_id = $1`, [id]);

const left = async (partitions: string[]) => {
  const rows = await suite.database.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relname = ANY ($1::text[]) ORDER BY relname`,
    [partitions],
  );
  return rows.map(({ name }) => name);
};

describe('an old partition', () => {
  const old = Date.UTC(2020, 5, 10);
  let partitions: string[];
  let warnings: string[];
  beforeEach(async () => {
    partitions = [];
    for (const table of names) partitions.push(await buildOldPartition(table, old));
    warnings = [];
  });
  const maintain = () => maintainPartitions(suite.database, plans(), (line) => warnings.push(line));

  it.each(['QUEUED', 'HELD', 'CLAIMED', 'HANDOFF', 'AMBIGUOUS'])(
    'is kept while mail of it is %s, and dropped when it is sent',
    async (state) => {
      const id = await buildDelivery(state, { id: idAt(old) });
      await maintain();
      const kept = partitions.filter((name) => !name.startsWith('engagements'));
      expect(await left(partitions)).toEqual(kept.toSorted());
      expect(warnings).toHaveLength(kept.length);
      for (const name of kept) expect(warnings).toContainEqual(expect.stringContaining(name));
      await finish(id);
      await maintain();
      expect(await left(partitions)).toEqual([]);
    },
  );

  it('is kept while an e-mail of another one waits for its content', async () => {
    const contentsEnd = startOf(daysOf('email_contents'), old) + daysOf('email_contents') * dayMs;
    const id = await buildDelivery('QUEUED', { contentId: idAt(contentsEnd - 1), id: idAt(contentsEnd) });
    await maintain();
    const kept = partitions.filter((name) => !name.startsWith('engagements')).toSorted();
    expect(await left(partitions)).toEqual(kept);
    await finish(id);
    await maintain();
    expect(await left(partitions)).toEqual([]);
  });

  it('is not kept by other mail', async () => {
    await buildDelivery('QUEUED');
    await maintain();
    expect([await left(partitions), warnings]).toEqual([[], []]);
  });
});

describe('deliveries', () => {
  const repository = () => new OldDeliveriesRepository(suite.database);
  const emailsDays = 400;
  const now = Date.now();
  const cutoff = firstKeptId({ days: 30, retentionDays: emailsDays }, new Date(now));

  const stored = async () => {
    const rows = await suite.database.query<{ id: string }>(
      'SELECT email_id AS id FROM deliveries ORDER BY email_id',
    );
    return rows.map(({ id }) => id);
  };

  it('are deleted when they have ended and the partition of their e-mails is dropped', async () => {
    const gone = startOf(30, now - emailsDays * dayMs) - 1;
    for (const state of ['SENT', 'BOUNCED', 'FAILED', 'CANCELLED'])
      await buildDelivery(state, { id: idAt(gone) });
    const kept = [
      await buildDelivery('SENT', { id: idAt(gone + 1) }),
      await buildDelivery('SENT', { id: idAt(now - emailsDays * dayMs) }),
      await buildDelivery('SENT'),
    ];
    for (const state of ['QUEUED', 'CLAIMED', 'HANDOFF', 'AMBIGUOUS'])
      kept.push(await buildDelivery(state, { id: idAt(gone) }));
    expect(await repository().deleteSome(cutoff, 5_000)).toBe(4);
    expect(await repository().deleteSome(cutoff, 5_000)).toBe(0);
    expect(await stored()).toEqual(kept.toSorted());
  });

  it('are deleted a batch at a time, over all projects', async () => {
    for (const projectId of Array.from({ length: 3 }, () => newId()))
      for (let count = 0; count < 4; count += 1)
        await buildDelivery('SENT', { projectId, id: idAt(count * dayMs) });
    const sizes = [];
    for (let round = 0; round < 4; round += 1) sizes.push(await repository().deleteSome(cutoff, 5));
    expect(sizes).toEqual([5, 5, 2, 0]);
  });

  it('are deleted by the work of the service', async () => {
    const ids = [
      await buildDelivery('SENT', { id: idAt(0) }),
      await buildDelivery('QUEUED', { id: idAt(0) }),
    ];
    const environment = { ...suite.environment, DELIVERY_PAUSED: 'true' };
    const service = await suite.carry(startSending({ environment, processMetrics: false }));
    await eventually(async () => (await stored()).length === 1, 'one is deleted');
    await service.stop();
    expect(await stored()).toEqual([ids[1]]);
  });

  it('are found by the primary key, without reading those that are kept', async () => {
    await suite.database.query(
      `INSERT INTO deliveries (project_id, email_id, recipient, lane, state, expires_at, bytes)
       SELECT p.id, uuidv7(), 'c@d.example', 0, 'SENT', now(), 1
       FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 10)) AS p, generate_series(1, 3000)`,
    );
    await suite.database.query('ANALYZE deliveries');
    const rows = await suite.database.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${deleteOldSql}`,
      [cutoff, 5_000],
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).not.toMatch(/Seq Scan on deliveries|Rows Removed by Filter: [1-9]/);
    expect(plan).toMatch(/email_id < /);
  });
});
