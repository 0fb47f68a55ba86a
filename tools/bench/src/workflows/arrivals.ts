import { setTimeout as delay } from 'node:timers/promises';
import { nth, type Bench } from '../bench.js';
import { makeAudiences } from '../campaigns/audiences.js';
import { watchedDomain } from '../mail.js';
import { Product } from '../product.js';
import { costing } from '../sending/costs.js';
import { chainOf, makeWorkflow } from './workflow.js';

/** Few, for whom a mail is at its fastest, and as many as make batches. */
const rates = [
  { perSecond: 10, warmUp: 50, share: 0.5, ceiling: 100 },
  { perSecond: 200, warmUp: 1_000, share: 0.95, ceiling: 500 },
] as const;
type Rate = (typeof rates)[number];
const settleMs = 2_000;
const leastSeconds = 8;
const createdAtOnce = 16;
const event = 'bench-arrival';

/** Somebody waits: from the request that records an event until the mail of the workflow that it starts is at the mail server. */
export async function benchArrivals(bench: Bench): Promise<void> {
  await Product.during(bench.servers, {}, async (product) => {
    for (const rate of rates) await benchRate(bench, product, rate);
  });
}

async function benchRate(bench: Bench, product: Product, rate: Rate): Promise<void> {
  const { servers, scale, rows } = bench;
  const { perSecond, warmUp, share, ceiling } = rate;
  const [audience] = await makeAudiences(servers, product, [1]);
  const { api, template } = audience!;
  const count = warmUp + perSecond * Math.max(scale.seconds, leastSeconds);
  const readers = Array.from({ length: count }, (_, n) => `waits-${perSecond}-${n}${watchedDomain}`);
  for (let from = 0; from < count; from += createdAtOnce)
    await Promise.all(
      readers
        .slice(from, from + createdAtOnce)
        .map((email) => api.post('/api/v1/contacts', { email, subscribed: true })),
    );
  const settings = { trigger_type: 'EVENT', event_name: event, allow_reentry: true };
  const graph = chainOf(['SEND_EMAIL', { templateId: template }], ['EXIT', { reason: 'Sent' }]);
  await makeWorkflow(api, settings, graph);
  const arrival = async (email: string, index: number) => {
    await delay((index * 1_000) / perSecond);
    const posted = performance.now();
    const arrived = bench.sink.arrival(email);
    await api.post('/api/v1/events', { name: event, email, payload: { amount: 5 } });
    await arrived;
    return performance.now() - posted;
  };
  const arrivals = (some: readonly string[]) => Promise.all(some.map(arrival));
  await arrivals(readers.slice(0, warmUp));
  let times: number[] = [];
  await costing(bench, `an event to its mail at ${perSecond} events/s`, async () => {
    times = await arrivals(readers.slice(warmUp));
    await delay(settleMs);
    return times.length;
  });
  const [middle, p95] = [0.5, 0.95].map((of) => nth(times, of).toFixed(0));
  console.log(`event to mail server: p50 ${middle} ms, p95 ${p95} ms of ${times.length}`);
  rows.push({
    name: `workflows: p${share * 100} ms from an event to its mail at the mail server at ${perSecond} events/s`,
    product: nth(times, share),
    ceiling,
  });
}
