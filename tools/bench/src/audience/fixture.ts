import { makeSendingProject } from '@posthorn/testing';
import { databaseOf, inDatabase, withoutIndexes } from '../databases.js';
import { benchLimit, type Product, type Servers } from '../product.js';
import { Api } from './api.js';
import { conditionsOf } from './conditions.js';
import { People, weeksOf } from './people.js';

/** A project full of contacts. */
export interface Fixture {
  api: Api;
  contacts: number;
}

/** With events and mail, and with segments that are tracked. */
export interface TrackedFixture extends Fixture {
  lists: [string, string];
  segmentId: string;
}

export interface Fixtures {
  tracked: TrackedFixture;
  /** As many contacts, and nothing else. */
  plain: Fixture;
}

const trackedSegments = 20;
const filled = ['contacts', 'consents', 'memberships', 'events', 'event_summaries', 'mail_summaries'];
const byTheProduct = ['segment_members', 'segment_due'];

export async function makeFixtures(servers: Servers, product: Product, contacts: number): Promise<Fixtures> {
  const [tracked, plain] = [await bare(servers, product, contacts), await bare(servers, product, contacts)];
  const lists: [string, string] = [
    await makeList(tracked.api, 'News'),
    await makeList(tracked.api, 'Offers'),
  ];
  await inDatabase(databaseOf(servers.databaseUrl, 'contacts'), async (client) => {
    await client.query(`SET synchronous_commit = off`);
    await client.query(`SET maintenance_work_mem = '512MB'`);
    await client.query(`SET work_mem = '256MB'`);
    const people = new People(tracked.api.projectId, contacts, Date.now());
    const others = new People(plain.api.projectId, contacts, people.until);
    for (const { partition, bounds } of weeksOf(people)) {
      await client.query(`CREATE TABLE IF NOT EXISTS ${partition} PARTITION OF events FOR VALUES ${bounds}`);
    }
    await withoutIndexes(client, filled, async () => {
      for (const each of [people, others]) {
        for (const sql of [each.contactsSql, each.contactCountsSql, each.consentsSql])
          await client.query(sql);
      }
      for (const [index, list] of lists.entries())
        await client.query(people.membersSql(list, index === 0 ? 0.5 : 0.1, 20 + 3 * index));
      for (const { from, to } of weeksOf(people)) await client.query(people.eventsSql(from, to));
      for (const sql of [people.listCountsSql, ...people.eventSumsSql, people.mailSumsSql])
        await client.query(sql);
    });
  });
  const segmentId = await makeSegments(tracked.api, lists);
  await inDatabase(databaseOf(servers.databaseUrl, 'contacts'), async (client) => {
    // What the filling leaves to be written or looked through must not be while something is measured.
    await client.query(`VACUUM (ANALYZE) ${byTheProduct.join(', ')}`);
    await client.query('CHECKPOINT');
  });
  return { tracked: { ...tracked, lists, segmentId }, plain };
}

async function bare({ natsUrl }: Servers, product: Product, contacts: number): Promise<Fixture> {
  const { projectId, token } = await makeSendingProject(natsUrl, 'audience', benchLimit);
  return { api: new Api(product.url, token, projectId), contacts };
}

const makeList = async (api: Api, name: string): Promise<string> =>
  (await api.post<{ id: string }>('/api/v1/lists', { name })).id;

/** Through the front door, which finds their first members by their conditions; returns the first. */
async function makeSegments(api: Api, lists: [string, string]): Promise<string> {
  const conditions = conditionsOf(lists);
  const ids: string[] = [];
  for (let index = 0; index < trackedSegments; index += 1) {
    const { condition } = conditions[index % conditions.length]!;
    const segment = { name: `Segment ${index}`, type: 'DYNAMIC', condition, track_membership: true };
    ids.push((await api.post<{ id: string }>('/api/v1/segments', segment)).id);
  }
  return ids[0]!;
}

/** Nobody's segments are behind; returns how many seconds that took. */
export async function untilEvaluated({ databaseUrl }: Servers): Promise<number> {
  const began = performance.now();
  await inDatabase(databaseOf(databaseUrl, 'contacts'), async (client) => {
    while ((await client.query(`SELECT FROM segment_dirty LIMIT 1`)).rowCount! > 0)
      await new Promise((next) => setTimeout(next, 50));
  });
  return (performance.now() - began) / 1_000;
}
