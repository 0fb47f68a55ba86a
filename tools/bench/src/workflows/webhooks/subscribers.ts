import { setTimeout as delay } from 'node:timers/promises';
import { emailEvents, type EmailDelayed } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import type pg from 'pg';
import { Api } from '../../audience/api.js';
import type { Bench } from '../../bench.js';
import { nthReader } from '../../campaigns/audiences.js';
import { databaseOf, inDatabase } from '../../databases.js';
import type { Product } from '../../product.js';
import { makeProject } from '../../sending/project.js';
import type { EventSource } from '../event-source.js';
import { Receivers, type Urls } from './receivers.js';

export interface WebhookBench extends Bench {
  product: Product;
  source: EventSource;
}

export interface Dispatched {
  /** Calls a second of the healthy endpoints. */
  perSecond: number;
  body: string;
}

interface Subscriber {
  api: Api;
  /** Of its healthy endpoints. */
  healthy: string[];
  hanging: string[];
}

/** A project may have 50. */
const webhooksOfAProject = 40;
const checkEveryMs = 100;
const timeoutMs = 300_000;

/** The events of projects of their own to their subscriptions: from the first call of a healthy one to the last, with what it takes to make the calls. */
export async function throughSubscriptions(
  bench: WebhookBench,
  { healthy, hanging = 0, events }: { healthy: number; hanging?: number; events: number },
): Promise<Dispatched> {
  const receivers = await Receivers.open(healthy, hanging);
  const subscribers = await subscribe(bench, receivers.urls);
  const count = events * healthy;
  return inDatabase(databaseOf(bench.servers.databaseUrl, 'workflows'), async (client) => {
    await client.query('CHECKPOINT');
    const arrivals = receivers.arrivals(count);
    await occur(bench, subscribers, events);
    const { ms, requests, body } = await arrivals;
    await untilRecorded(client, subscribers, count);
    await receivers.stop();
    await removeAll(client, subscribers);
    const perSecond = (count / ms) * 1_000;
    console.log(
      `webhooks: ${count} calls of ${healthy} endpoints${hanging > 0 ? ` beside ${hanging} that hang` : ''}: ${perSecond.toFixed(0)}/s, ${requests - count} of them twice`,
    );
    return { perSecond, body };
  });
}

/** Each project has some of both kinds. */
async function subscribe({ servers, product }: WebhookBench, urls: Urls): Promise<Subscriber[]> {
  const subscribers: Subscriber[] = [];
  const count = Math.ceil((urls.healthy.length + urls.hanging.length) / webhooksOfAProject);
  const made = async (api: Api, given: readonly string[], first: number) => {
    const ids: string[] = [];
    for (const url of given.filter((_, index) => index % count === first))
      ids.push(
        (await api.post<{ id: string }>('/api/v1/webhooks', { url, event_types: ['email.delayed'] })).id,
      );
    return ids;
  };
  for (let n = 0; n < count; n += 1) {
    const { projectId, token } = await makeProject(servers);
    const api = new Api(product.url, projectId, token);
    const hanging = await made(api, urls.hanging, n);
    subscribers.push({ api, hanging, healthy: await made(api, urls.healthy, n) });
  }
  return subscribers;
}

async function occur(
  { source }: WebhookBench,
  subscribers: readonly Subscriber[],
  events: number,
): Promise<void> {
  const at = new Date();
  const items = Array.from({ length: events }, (_, n): EmailDelayed => ({
    ...{ emailId: newId(), to: nthReader(n), at, sourceType: 'TRANSACTIONAL', contactId: newId() },
    ...{ subject: `Your order number ${n}`, from: 'hello@example.test', fromName: 'Example' },
    ...{ metadata: { orderId: String(n) }, reason: '451 4.7.1 Try again later' },
  }));
  for (const { api } of subscribers) await source.publish(emailEvents.delayed, api.projectId, items);
  // An event of the service itself wakes its relay.
  await subscribers[0]!.api.post('/api/v1/emails', { to: nthReader(1), subject: 'One', body: '<p>One</p>' });
}

/** Nothing was measured that was not done: what came of each call is stored. */
async function untilRecorded(
  client: pg.Client,
  subscribers: readonly Subscriber[],
  count: number,
): Promise<void> {
  const countSql = `SELECT count(*)::int AS ended FROM webhook_calls WHERE project_id = ANY ($1::uuid[]) AND webhook_id = ANY ($2::uuid[]) AND status = 'SUCCESS'`;
  const ids = subscribers.flatMap(({ healthy }) => healthy);
  await until(async () => {
    const { rows } = await client.query<{ ended: number }>(countSql, [projectsOf(subscribers), ids]);
    return rows[0]!.ended === count;
  }, `${count} calls were stored as successes`);
}

async function removeAll(client: pg.Client, subscribers: readonly Subscriber[]): Promise<void> {
  for (const { api, healthy, hanging } of subscribers)
    for (const id of [...healthy, ...hanging]) await api.delete(`/api/v1/webhooks/${id}`);
  await until(async () => {
    const left = await client.query(`SELECT FROM webhook_calls WHERE project_id = ANY ($1::uuid[]) LIMIT 1`, [
      projectsOf(subscribers),
    ]);
    return left.rowCount === 0;
  }, 'the calls of deleted subscriptions were removed');
}

const projectsOf = (subscribers: readonly Subscriber[]): string[] =>
  subscribers.map(({ api }) => api.projectId);

async function until(isReached: () => Promise<boolean>, what: string): Promise<void> {
  for (const deadline = performance.now() + timeoutMs; !(await isReached());) {
    if (performance.now() > deadline) throw new Error(`it never came to this: ${what}`);
    await delay(checkEveryMs);
  }
}
