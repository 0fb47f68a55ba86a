import { waitMs } from '../../bench.js';
import { barePosts } from './bare-posts.js';
import { throughSubscriptions, type WebhookBench } from './subscribers.js';

const endpoints = { healthy: 180, hanging: 20 };
/** As many as the dispatcher makes at once: to one endpoint, and to all in their turns. */
const lanes = { one: 8, many: 64 };

/** Calls of events to one endpoint, and to many of which some never answer, beside bare posts of the same body. */
export async function benchWebhooks(bench: WebhookBench): Promise<void> {
  const body = await benchOne(bench);
  await benchMany(bench, body);
}

async function benchOne(bench: WebhookBench): Promise<string> {
  const { rows, scale } = bench;
  const count = scale.drained;
  // What is not compiled yet is no part of the cost.
  const { body } = await throughSubscriptions(bench, { healthy: 1, events: Math.ceil(count / 10) });
  const [product, reference] = await alternating(scale.rounds, [
    async () => (await throughSubscriptions(bench, { healthy: 1, events: count })).perSecond,
    () => barePosts({ endpoints: 1, count, lanes: lanes.one, body }),
  ]);
  const name = 'workflows: webhooks/s to one endpoint, beside bare posts';
  rows.push({ name, product: product!, reference: reference!, floorPercent: 40 });
  return body;
}

async function benchMany(bench: WebhookBench, body: string): Promise<void> {
  const { rows, scale } = bench;
  const { healthy, hanging } = endpoints;
  const events = Math.ceil(scale.drained / healthy);
  const [all, alone, bare] = await alternating(scale.rounds, [
    async () => (await throughSubscriptions(bench, { ...endpoints, events })).perSecond,
    async () => (await throughSubscriptions(bench, { healthy, events })).perSecond,
    () => barePosts({ endpoints: healthy, count: events * healthy, lanes: lanes.many, body }),
  ]);
  const name = `workflows: webhooks/s to ${healthy} of ${healthy + hanging} endpoints, the others hang`;
  rows.push(
    { name: `${name}, beside bare posts`, product: all!, reference: bare!, floorPercent: 40 },
    { name: `${name}, beside the ${healthy} alone`, product: all!, reference: alone!, floorPercent: 90 },
  );
}

/** The middle of each; those that come last in one round come first in the next. */
async function alternating(rounds: number, sides: readonly (() => Promise<number>)[]): Promise<number[]> {
  const rates: number[][] = sides.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    const order = [...sides.entries()];
    for (const [index, side] of round % 2 ? order.reverse() : order) rates[index]!.push(await side());
  }
  return rates.map(waitMs);
}
