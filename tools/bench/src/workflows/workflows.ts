import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { contactEvents } from '@posthorn/contracts';
import { newId, openDatabase } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import type pg from 'pg';
import { nth, waitMs, type Bench } from '../bench.js';
import { makeAudiences, nthReader, type Audience } from '../campaigns/audiences.js';
import { databaseOf, inDatabase } from '../databases.js';
import { Product } from '../product.js';
import { benchTimers } from '../work/claims.js';
import { chainOf, crowdsOf, makeWorkflow, type Crowd } from './workflow.js';

const projectsAtOnce = 4;
const stepsOfGraph = 6;
/** As short as it can be and still be a timer that waits. */
const timer = { amount: 0.002, unit: 'minutes' };

/** Timers that wait, events that start an execution, and the steps of many of them. */
export async function benchWorkflows(bench: Bench): Promise<void> {
  const { servers, scale } = bench;
  await benchTimers(bench);
  await Product.during(servers, {}, async (product) => {
    const part = Math.ceil(scale.executions / projectsAtOnce);
    const sizes = [scale.executions, ...Array.from({ length: projectsAtOnce }, () => part)];
    const [whole, ...parts] = await crowdsOf(servers, await makeAudiences(servers, product, sizes));
    await benchFirstMails(bench, whole!.audience);
    await benchSteps(bench, [whole!]);
    await benchSteps(bench, parts);
  });
}

const perSecond = 200;
const maxMs = 300;
const warmSeconds = 2;
const lookEveryMs = 200;
const mailsMs = 60_000;
const event = 'bench-purchase';

const mailsSql = `SELECT to_email AS "to", (extract(epoch FROM created_at) * 1000)::float8 AS at FROM emails
  WHERE project_id = $1 AND source_type = 'WORKFLOW' AND to_email = ANY ($2)`;

/** From the request that records an event until the mail of the workflow that it starts is accepted, with everything running. */
async function benchFirstMails(bench: Bench, audience: Audience): Promise<void> {
  const { rows, scale } = bench;
  const { api, template, contacts } = audience;
  const settings = { trigger_type: 'EVENT', event_name: event, allow_reentry: true };
  const graph = chainOf(['SEND_EMAIL', { templateId: template }], ['EXIT', { reason: 'Sent' }]);
  await makeWorkflow(api, settings, graph);
  const p95s: number[] = [];
  let from = 0;
  for (let round = 0; round <= scale.rounds; round += 1) {
    const count = perSecond * (round === 0 ? warmSeconds : scale.seconds);
    if (from + count > contacts) throw new Error(`${contacts} contacts are too few for ${count} events more`);
    const readers = Array.from({ length: count }, (_, n) => nthReader(from + n + 1));
    from += count;
    const times = await timesOf(bench, audience, readers);
    const [middle, p95, most] = [0.5, 0.95, 1].map((share) => nth(times, share).toFixed(0));
    console.log(
      `first mail, round ${round}: p50 ${middle} ms, p95 ${p95} ms, longest ${most} ms of ${count}`,
    );
    // What is not compiled yet is no part of the cost.
    if (round > 0) p95s.push(nth(times, 0.95));
  }
  rows.push({
    name: `workflows: p95 ms from an event to its first mail at ${perSecond} events/s`,
    product: waitMs(p95s),
    ceiling: maxMs,
  });
}

/** Each event comes at its time, whether those before it were answered or not. */
async function timesOf({ servers }: Bench, { api }: Audience, readers: readonly string[]): Promise<number[]> {
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
    for (const deadline = performance.now() + mailsMs; ; await delay(lookEveryMs)) {
      const { rows } = await client.query<{ to: string; at: number }>(mailsSql, [api.projectId, readers]);
      if (rows.length === readers.length) return rows.map(({ to, at }) => at - starts.get(to)!);
      if (rows.length > readers.length || performance.now() > deadline)
        throw new Error(`there are ${rows.length} mails for ${readers.length} events`);
    }
  });
}

const checkEveryMs = 100;
const endMs = 900_000;

/** Executions that events start, with two timers each; the crowds are as many projects. */
async function benchSteps(bench: Bench, crowds: readonly Crowd[]): Promise<void> {
  const { rows, scale } = bench;
  const rates: number[] = [];
  // What is not compiled yet is no part of the cost.
  await stepsPerSecond(bench, crowds.map(tenth));
  for (let round = 0; round < scale.rounds; round += 1) {
    const rate = await stepsPerSecond(bench, crowds);
    rates.push(rate);
    console.log(`steps of ${crowds.length} projects: ${rate.toFixed(0)} steps/s`);
  }
  const of = crowds.length === 1 ? 'one project' : `${crowds.length} projects`;
  rows.push({
    name: `workflows: steps/s of ${executionsOf(crowds)} executions of ${stepsOfGraph} steps, ${of}`,
    product: waitMs(rates),
  });
}

const executionsOf = (crowds: readonly Crowd[]): number =>
  crowds.reduce((sum, { contactIds }) => sum + contactIds.length, 0);

const tenth = (crowd: Crowd): Crowd => ({
  ...crowd,
  contactIds: crowd.contactIds.slice(0, Math.ceil(crowd.contactIds.length / 10)),
});

/** From the first start to the last end, as the rows say. */
async function stepsPerSecond({ servers }: Bench, crowds: readonly Crowd[]): Promise<number> {
  const name = `bench-${randomUUID()}`;
  const ids: string[] = [];
  for (const { audience } of crowds) {
    const graph = chainOf(
      ['CONDITION', { field: 'contact.subscribed', operator: 'equals', value: true }],
      ['DELAY', timer],
      ['CONDITION', { field: 'contact.email', operator: 'contains', value: '@bench.test' }],
      ['DELAY', timer],
      ['EXIT', { reason: 'Done' }],
    );
    ids.push((await makeWorkflow(audience.api, { trigger_type: 'EVENT', event_name: name }, graph)).id);
  }
  return inDatabase(databaseOf(servers.databaseUrl, 'workflows'), async (client) => {
    await client.query('CHECKPOINT');
    await occurToAll(databaseOf(servers.databaseUrl, 'contacts'), crowds, name);
    await untilEnded(client, ids, executionsOf(crowds));
    const { rows } = await client.query<{ seconds: number }>(
      `SELECT extract(epoch FROM max(ended_at) - min(started_at))::float8 AS seconds FROM executions WHERE workflow_id = ANY ($1)`,
      [ids],
    );
    return (executionsOf(crowds) * stepsOfGraph) / rows[0]!.seconds;
  });
}

const eventsSql = `INSERT INTO events (project_id, id, contact_id, name, payload, occurred_at, created_at)
  SELECT $1::uuid, id, contact_id, $2::text, '{"amount": 5, "source": "web"}'::jsonb, now(), now() FROM unnest($3::uuid[], $4::uuid[]) AS e (id, contact_id)`;

/** The same custom event of every contact of the crowds, through the outbox of the service. */
async function occurToAll(url: string, crowds: readonly Crowd[], name: string): Promise<void> {
  // The account of the server itself has no second role.
  const own = Object.assign(new URL(url), { username: 'posthorn_contacts' }).href;
  const database = await openDatabase({ url: own, name: 'bench', poolSize: 2, entities: [], migrations: [] });
  const recorded = crowds.map((crowd) => ({ ...crowd, ids: crowd.contactIds.map(newId) }));
  for (const { audience, contactIds, ids } of recorded)
    await database.query(eventsSql, [audience.api.projectId, name, ids, contactIds]);
  const at = new Date();
  for (const { audience, contactIds, ids } of recorded) {
    const items = contactIds.map((contactId, index) => ({
      eventId: ids[index]!,
      contactId,
      name,
      emailId: null,
      at,
    }));
    await database.transaction(() =>
      new Outbox(database).publish(contactEvents.eventRecorded, audience.api.projectId, items),
    );
  }
  await database.close();
  // An event of the service itself wakes its relay.
  await crowds[0]!.audience.api.post('/api/v1/events', { name: 'bench-wake', email: nthReader(1) });
}

/** Nothing was measured that was not done: everybody went through every step once, and nothing failed. */
async function untilEnded(client: pg.Client, ids: readonly string[], executions: number): Promise<void> {
  const countsSql = `SELECT counter, sum(value)::int AS value FROM workflow_counts WHERE workflow_id = ANY ($1) GROUP BY 1`;
  for (const deadline = performance.now() + endMs; ; await delay(checkEveryMs)) {
    const { rows } = await client.query<{ counter: string; value: number }>(countsSql, [ids]);
    const counts = new Map(rows.map(({ counter, value }) => [counter, value]));
    if (counts.get('EXITED') === executions) {
      if (counts.get('ENTERED') === executions * stepsOfGraph) return;
      throw new Error(`steps were left out: ${JSON.stringify(rows)}`);
    }
    if (performance.now() > deadline)
      throw new Error(`the executions have come no further: ${JSON.stringify(rows)}`);
  }
}
