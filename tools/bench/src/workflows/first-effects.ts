import { setTimeout as delay } from 'node:timers/promises';
import { nth, waitMs, type Bench } from '../bench.js';
import { nthReader } from '../campaigns/audiences.js';
import { databaseOf, inDatabase } from '../databases.js';
import type { Crowd } from './crowd.js';
import { chainOf, makeWorkflow } from './workflow.js';

const perSecond = 200;
const maxMs = 300;
const warmSeconds = 2;
const checkEveryMs = 200;
const timeoutMs = 60_000;
const event = 'bench-purchase';

const mailsSql = `SELECT to_email AS "to", (extract(epoch FROM created_at) * 1000)::float8 AS at FROM emails
  WHERE project_id = $1 AND source_type = 'WORKFLOW' AND to_email = ANY ($2)`;

/** From the request that records an event until the mail of the workflow that it starts is accepted, with everything running. */
export async function benchFirstEffects(bench: Bench, crowd: Crowd): Promise<void> {
  const { rows, scale } = bench;
  const { api, template, contacts } = crowd.audience;
  const settings = { trigger_type: 'EVENT', event_name: event, allow_reentry: true };
  await makeWorkflow(
    api,
    settings,
    chainOf(['SEND_EMAIL', { templateId: template }], ['EXIT', { reason: 'Sent' }]),
  );
  const p95s: number[] = [];
  let from = 0;
  for (let round = 0; round <= scale.rounds; round += 1) {
    const count = perSecond * (round === 0 ? warmSeconds : scale.seconds);
    if (from + count > contacts) throw new Error(`${contacts} contacts are too few for ${count} events more`);
    const readers = Array.from({ length: count }, (_, n) => nthReader(from + n + 1));
    from += count;
    const times = await timesOf(bench, crowd, readers);
    const [middle, p95, most] = [0.5, 0.95, 1].map((share) => nth(times, share));
    console.log(
      `first effect${round === 0 ? ', warm-up' : ''}: p50 ${middle!.toFixed(0)} ms, p95 ${p95!.toFixed(0)} ms, longest ${most!.toFixed(0)} ms of ${count}`,
    );
    if (round > 0) p95s.push(p95!);
  }
  rows.push({
    name: `workflows: p95 ms from an event to its first effect at ${perSecond} events/s`,
    product: waitMs(p95s),
    ceiling: maxMs,
  });
}

/** Each event comes at its time, whether those before it were answered or not. */
async function timesOf(
  { servers }: Bench,
  { audience: { api } }: Crowd,
  readers: readonly string[],
): Promise<number[]> {
  const began = Date.now();
  const starts = new Map<string, number>();
  const answers = readers.map(async (email, index) => {
    await delay(began + (index * 1_000) / perSecond - Date.now());
    starts.set(email, Date.now());
    await api.post('/api/v1/events', { name: event, email, payload: { amount: 5 } });
  });
  await Promise.all(answers);
  const lasted = Math.max(...starts.values()) - began;
  if (lasted > ((readers.length + perSecond / 10) * 1_000) / perSecond)
    throw new Error(`the events took ${lasted} ms: these were no ${perSecond} a second`);
  return inDatabase(databaseOf(servers.databaseUrl, 'sending'), async (client) => {
    for (const deadline = performance.now() + timeoutMs; ;) {
      const { rows } = await client.query<{ to: string; at: number }>(mailsSql, [api.projectId, readers]);
      if (rows.length > readers.length) throw new Error(`${rows.length} mails for ${readers.length} events`);
      if (rows.length === readers.length) return rows.map(({ to, at }) => at - starts.get(to)!);
      if (performance.now() > deadline)
        throw new Error(`after ${timeoutMs} ms there are ${rows.length} mails for ${readers.length} events`);
      await delay(checkEveryMs);
    }
  });
}
