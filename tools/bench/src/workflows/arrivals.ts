import { setTimeout as delay } from 'node:timers/promises';
import { nth, type Bench } from '../bench.js';
import { makeAudiences } from '../campaigns/audiences.js';
import { watchedDomain } from '../mail.js';
import { Product } from '../product.js';
import { costing } from '../sending/costs.js';
import { chainOf, makeWorkflow } from './workflow.js';

const perSecond = 10;
const warmUp = 50;
const settleMs = 2_000;
const leastSeconds = 8;
const event = 'bench-arrival';

/** Somebody waits: from the request that records an event until the mail of the workflow that it starts is at the mail server. */
export async function benchArrivals(bench: Bench): Promise<void> {
  const { servers, scale, rows } = bench;
  await Product.during(servers, {}, async (product) => {
    const [audience] = await makeAudiences(servers, product, [1]);
    const { api, template } = audience!;
    const count = warmUp + perSecond * Math.max(scale.seconds, leastSeconds);
    const readers = Array.from({ length: count }, (_, n) => `waits-${n}${watchedDomain}`);
    for (const email of readers) await api.post('/api/v1/contacts', { email, subscribed: true });
    const settings = { trigger_type: 'EVENT', event_name: event, allow_reentry: true };
    await makeWorkflow(
      api,
      settings,
      chainOf(['SEND_EMAIL', { templateId: template }], ['EXIT', { reason: 'Sent' }]),
    );
    const arrivals = (some: readonly string[]) =>
      Promise.all(some.map((email, index) => arrival(email, index)));
    const arrival = async (email: string, index: number) => {
      await delay((index * 1_000) / perSecond);
      const posted = performance.now();
      const arrived = bench.sink.arrival(email);
      await api.post('/api/v1/events', { name: event, email, payload: { amount: 5 } });
      await arrived;
      return performance.now() - posted;
    };
    await arrivals(readers.slice(0, warmUp));
    let times: number[] = [];
    await costing(bench, 'an event to its mail', async () => {
      times = await arrivals(readers.slice(warmUp));
      await delay(settleMs);
      return times.length;
    });
    console.log(
      `event to mail server: p50 ${nth(times, 0.5).toFixed(0)} ms, p95 ${nth(times, 0.95).toFixed(0)} ms of ${times.length}`,
    );
    rows.push({
      name: `workflows: p50 ms from an event to its mail at the mail server at ${perSecond} events/s`,
      product: nth(times, 0.5),
      ceiling: 100,
    });
  });
}
