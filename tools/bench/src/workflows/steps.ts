import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { waitMs, type Bench } from '../bench.js';
import { databaseOf, inDatabase } from '../databases.js';
import { occurToAll, type Crowd } from './crowd.js';
import type { EventSource } from './event-source.js';
import { sixSteps, stepsOfGraph } from './six-steps.js';
import { stepsByHand } from './steps-by-hand.js';
import { makeWorkflow } from './workflow.js';

const checkEveryMs = 100;
const timeoutMs = 900_000;

/** Executions that events start, with two timers each, beside the commits that such executions need; the crowds are as many projects. */
export async function benchSteps(bench: Bench, source: EventSource, crowds: readonly Crowd[]): Promise<void> {
  const { rows, scale, servers } = bench;
  const rates: Record<'product' | 'reference', number[]> = { product: [], reference: [] };
  const sides = {
    product: () => throughEngine(bench, source, crowds),
    reference: () => stepsByHand(databaseOf(servers.databaseUrl, 'workflows'), crowds),
  };
  // What is not compiled yet is no part of the cost.
  await throughEngine(bench, source, crowds.map(tenth));
  for (let round = 0; round < scale.rounds; round += 1) {
    const order = ['product', 'reference'] as const;
    for (const side of round % 2 === 0 ? order : [...order].reverse()) {
      const rate = await sides[side]();
      rates[side].push(rate);
      console.log(`steps of ${crowds.length} projects, ${side}: ${rate.toFixed(0)} steps/s`);
    }
  }
  const of = crowds.length === 1 ? 'one project' : `${crowds.length} projects`;
  rows.push({
    name: `workflows: steps/s of ${executionsOf(crowds)} executions of ${stepsOfGraph} steps, ${of}, beside the bare commits`,
    product: waitMs(rates.product),
    reference: waitMs(rates.reference),
    floorPercent: 40,
  });
}

const executionsOf = (crowds: readonly Crowd[]): number =>
  crowds.reduce((sum, { contactIds }) => sum + contactIds.length, 0);

const tenth = (crowd: Crowd): Crowd => ({
  ...crowd,
  contactIds: crowd.contactIds.slice(0, Math.ceil(crowd.contactIds.length / 10)),
});

/** From the first start to the last end, as the rows say. */
async function throughEngine(
  { servers }: Bench,
  source: EventSource,
  crowds: readonly Crowd[],
): Promise<number> {
  const event = `bench-${randomUUID()}`;
  const ids: string[] = [];
  for (const { audience } of crowds) {
    const settings = { trigger_type: 'EVENT', event_name: event };
    ids.push((await makeWorkflow(audience.api, settings, sixSteps())).id);
  }
  return inDatabase(databaseOf(servers.databaseUrl, 'workflows'), async (client) => {
    await client.query('CHECKPOINT');
    await occurToAll(servers, source, crowds, event);
    await untilEnded(client, ids, executionsOf(crowds));
    const { rows } = await client.query<{ seconds: number }>(
      `SELECT extract(epoch FROM max(ended_at) - min(started_at))::float8 AS seconds FROM executions WHERE workflow_id = ANY ($1)`,
      [ids],
    );
    return (executionsOf(crowds) * stepsOfGraph) / rows[0]!.seconds;
  });
}

/** Nothing was measured that was not done: everybody went through every step once, and nothing failed. */
async function untilEnded(client: pg.Client, ids: readonly string[], executions: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const countsSql = `SELECT counter, sum(value)::int AS value FROM workflow_counts WHERE workflow_id = ANY ($1) GROUP BY 1`;
  for (;;) {
    const { rows } = await client.query<{ counter: string; value: number }>(countsSql, [ids]);
    const counts = new Map(rows.map(({ counter, value }) => [counter, value]));
    if (counts.get('EXITED') === executions) {
      if (counts.get('ENTERED') === executions * stepsOfGraph) return;
      throw new Error(`steps were left out: ${JSON.stringify(rows)}`);
    }
    if (performance.now() > deadline)
      throw new Error(`the executions have come no further: ${JSON.stringify(rows)}`);
    await delay(checkEveryMs);
  }
}
