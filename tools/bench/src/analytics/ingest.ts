import { setTimeout as delay } from 'node:timers/promises';
import { ServiceProcess } from '@posthorn/dev';
import { emailEvents, eventSubject, type EmailChangedEvent, type EventContract } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { BusConnection } from '@posthorn/messaging';
import type pg from 'pg';
import { databaseOf, inDatabase } from '../databases.js';
import type { Bench } from '../bench.js';
import { environmentFor } from '../product.js';

const itemsPerEvent = 50;
const publishedAtOnce = 20;
const flushEvery = 1_000;
const checkMs = 100;

interface Happened {
  contract: EventContract<EmailChangedEvent>;
  column: 'sent' | 'delivered' | 'opened';
  items: EmailChangedEvent[];
}

/** How fast one analytics process counts events that wait in the stream, beside upserts of the same counters by hand. */
export async function benchIngest({ servers, scale, rows }: Bench): Promise<void> {
  const projectId = newId();
  const batches = batchesOf(scale.counted);
  // Its relay makes the stream.
  const sending = await ServiceProcess.start({
    service: 'sending',
    environment: environmentFor(servers, { DELIVERY_PAUSED: 'true' }),
    detached: false,
  });
  const startAnalytics = () =>
    ServiceProcess.start({ service: 'analytics', environment: environmentFor(servers, {}), detached: false });
  // It makes its tables and its consumer.
  await (await startAnalytics()).stop();
  await publish(servers.natsUrl, projectId, batches);
  const url = databaseOf(servers.databaseUrl, 'analytics');
  const { product, reference } = await inDatabase(url, async (client) => {
    const began = performance.now();
    const analytics = await startAnalytics();
    const product = await untilCounted(client, projectId, scale.counted, began);
    await analytics.stop();
    return { product, reference: await byHand(client, batches) };
  });
  await sending.stop();
  rows.push(
    { name: 'analytics: events counted/s by one process', product, floor: 5_000 },
    { name: 'analytics: events counted/s beside upserts by hand', product, reference, floorPercent: 40 },
  );
}

/** Each mail is sent and delivered, and opened. */
function batchesOf(count: number): Happened[] {
  const mail = mailsOf(Array.from({ length: 40 }, newId));
  const kinds = [
    { contract: emailEvents.sent, column: 'sent' },
    { contract: emailEvents.delivered, column: 'delivered' },
    { contract: emailEvents.opened, column: 'opened' },
  ] as unknown as Pick<Happened, 'contract' | 'column'>[];
  return Array.from({ length: Math.ceil(count / itemsPerEvent) }, (_, index) => ({
    ...kinds[index % kinds.length]!,
    items: Array.from({ length: Math.min(itemsPerEvent, count - index * itemsPerEvent) }, mail),
  }));
}

const destinations = ['gmail', 'outlook', 'yahoo', 'icloud', 'other'] as const;
const hourMs = 3_600_000;

function mailsOf(ids: readonly string[]): () => EmailChangedEvent {
  let count = 0;
  return () => {
    count += 1;
    return {
      emailId: newId(),
      to: 'ada@example.org',
      // Also late ones, of the last three hours.
      at: new Date(Date.now() - (count % 3) * hourMs),
      sourceType: 'CAMPAIGN',
      subject: 'What is new in spring',
      from: `news@shop-${count % 3}.example`,
      fromName: 'Shop',
      providerMessageId: newId(),
      contactId: newId(),
      templateId: ids[count % 20]!,
      campaignId: ids[count % 40]!,
      destination: destinations[count % 5]!,
      tags: ['spring', `wave-${count % 4}`],
      metadata: {},
      isMachine: false,
      isFirst: true,
      link: null,
    } as EmailChangedEvent;
  };
}

/** As the relay publishes. */
async function publish(url: string, projectId: string, batches: readonly Happened[]): Promise<void> {
  const connection = await BusConnection.open({ url, name: 'bench-ingest' });
  for (const [index, { contract, items }] of batches.entries()) {
    const event = { id: newId(), name: contract.name, version: 1, projectId, at: new Date(), items };
    connection.nats.publish(eventSubject(contract.name), JSON.stringify(event));
    if (index % publishedAtOnce === 0) await connection.nats.flush();
  }
  await connection.nats.flush();
  await connection.close();
}

/** Events a second, from the start of the process on: its first answer and the last fold are part of it. */
async function untilCounted(client: pg.Client, projectId: string, count: number, began: number) {
  for (;;) {
    const { rows } = await client.query<{ n: number }>(
      `SELECT coalesce(sum(sent + delivered + opened), 0)::int AS n FROM mail_counts WHERE project_id = $1 AND kind = 'all' AND NOT hourly`,
      [projectId],
    );
    if (rows[0]!.n >= count) return count / ((performance.now() - began) / 1_000);
    await delay(checkMs);
  }
}

type Counter = [hourly: boolean, kind: string, owner: string, at: Date, key: string, by: number];

/** A commit for each thousand events: what somebody would write who only wants these counters. */
async function byHand(client: pg.Client, batches: readonly Happened[]): Promise<number> {
  await client.query(`CREATE TABLE counts_by_hand (LIKE mail_counts INCLUDING ALL)`);
  const projectId = newId();
  const began = performance.now();
  let count = 0;
  const perCommit = flushEvery / itemsPerEvent;
  for (let from = 0; from < batches.length; from += perCommit) {
    const some = batches.slice(from, from + perCommit);
    await client.query('BEGIN');
    for (const [column, part] of Map.groupBy(some, (each) => each.column)) {
      const counters = countersOf(part.flatMap(({ items }) => items));
      const columns = [0, 1, 2, 3, 4, 5].map((index) => counters.map((counter) => counter[index]));
      await client.query(
        `INSERT INTO counts_by_hand AS known (project_id, hourly, kind, owner, at, key, ${column})
         SELECT $1, * FROM unnest($2::boolean[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::bigint[]) ORDER BY 2, 3, 4, 5, 6
         ON CONFLICT (project_id, hourly, kind, owner, at, key) DO UPDATE SET ${column} = known.${column} + excluded.${column}`,
        [projectId, ...columns],
      );
      count += part.reduce((sum, { items }) => sum + items.length, 0);
    }
    await client.query('COMMIT');
  }
  return count / ((performance.now() - began) / 1_000);
}

function countersOf(items: readonly EmailChangedEvent[]): Counter[] {
  const counters = new Map<string, Counter>();
  for (const item of items) {
    const hour = new Date(Math.floor(item.at.getTime() / hourMs) * hourMs);
    const day = new Date(Math.floor(item.at.getTime() / (24 * hourMs)) * 24 * hourMs);
    for (const [kind, owner, key, isDaily] of dimensionsOf(item))
      for (const hourly of isDaily ? [false] : [false, true]) {
        const at = hourly ? hour : day;
        const name = `${kind} ${owner} ${key} ${at.getTime()} ${hourly}`;
        const known = counters.get(name);
        if (known) known[5] += 1;
        else counters.set(name, [hourly, kind, owner, at, key, 1]);
      }
  }
  return [...counters.values()];
}

function dimensionsOf(item: EmailChangedEvent): [kind: string, owner: string, key: string, isDaily?: true][] {
  const { campaignId, destination, templateId, tags } = item as EmailChangedEvent & {
    destination: string;
    tags: string[];
  };
  const domain = item.from!.split('@')[1]!;
  return [
    ['all', '', ''],
    ['category', '', item.sourceType!],
    ['destination', '', destination],
    ['domain', '', domain],
    ['domain_destination', domain, destination],
    ['template', '', templateId!],
    ['campaign', '', campaignId!],
    ['campaign_destination', campaignId!, destination],
    ...tags.map((tag): [string, string, string, true] => ['tag', '', tag, true]),
  ];
}
