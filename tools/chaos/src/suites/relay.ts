import { setTimeout as delay } from 'node:timers/promises';
import { lowestIdOf } from '@posthorn/database';
import { finding } from '../judging/finding.js';
import { services, type Records } from '../judging/records.js';
import type { Member } from '../process-group.js';
import { untilQuiet } from '../product.js';
import { outboxSizes } from './outbox-watch.js';
import { recount, unfinishedOf } from './recount.js';
import { oneOfEach, runSuite, type Stage, type SuiteOptions, type Verdict } from './suite.js';
import { Tenant } from './tenant.js';

const settleSeconds = 90;
const housekeepers: readonly Member[] = ['sending-1', 'contacts-1'];
const dayMs = 86_400_000;
/** Beyond the retention of one day. */
const shiftDays = 3;
/** So long the relay tries in vain, at least. */
const refusedMs = { least: 4_000, most: 10_000 };

const noRoom = 'no room in its store';

/** What NATS is told to refuse; requests between the services still pass. */
const refusals = {
  [noRoom]: 'jetstream { max_file_store: 65536 }',
  'a limit of 2 KiB for a message': 'max_payload: 2048',
} as const;

interface Refused {
  name: string;
  waiting: number;
  shifted: number;
  lost: number;
  quarantined: number;
}

/** NATS refuses for days, while the outbox is kept for one: every committed event arrives when it is back. */
export const runRelay = (options: SuiteOptions): Promise<boolean> =>
  runSuite(
    options,
    { name: 'relay', replicas: oneOfEach, environment: { RETENTION_OUTBOX_DAYS: '1' } },
    async (stage) => {
      const tenants = [
        await Tenant.create(stage.fixture, stage.processes, 'first'),
        await Tenant.create(stage.fixture, stage.processes, 'second'),
      ];
      const share = Math.ceil(options.sends / 6);
      for (const tenant of tenants) await tenant.makeReaders(addresses(tenant.name, 0, 3 * share));
      await sendShare(tenants, 0, share);
      const rounds: Refused[] = [];
      let part = 1;
      for (const [name, configuration] of Object.entries(refusals)) {
        await stage.fixture.killNats(300, { wipe: false, configuration });
        await stage.processes.untilAllReady();
        await sendShare(tenants, part * share, share);
        rounds.push(await refusedForDays(stage, tenants[0]!.records, name));
        part += 1;
      }
      await stage.fixture.killNats(300, { wipe: false });
      const released = await releaseQuarantined(tenants[0]!.records);
      await untilQuiet(() => unfinishedOf(tenants), settleSeconds);
      const verdict = await judge(stage, tenants, rounds, released);
      for (const tenant of tenants) tenant.close();
      return verdict;
    },
  );

const addresses = (name: string, first: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${name}-${first + index}@sink.test`);

async function sendShare(tenants: readonly Tenant[], first: number, count: number): Promise<void> {
  const send = (tenant: Tenant) =>
    tenant.sendAll(
      addresses(tenant.name, first, count).map((to) => ({ to, subject: 'Relay', body: `<p>To ${to}</p>` })),
    );
  await Promise.all(tenants.map(send));
}

/** Events wait, grow older than they are kept, and services that tidy up start: none of them may go. */
async function refusedForDays(
  { processes, random }: Stage,
  records: Records,
  name: string,
): Promise<Refused> {
  await delay(random.whole(refusedMs.least, refusedMs.most));
  const waiting = await records.unpublished();
  const shifted = await shiftOutbox(records);
  for (const member of housekeepers) await processes.leave(member);
  await processes.untilAllReady();
  await delay(random.whole(refusedMs.least, refusedMs.most));
  const { quarantined } = await outboxSizes(records);
  // What is small leaves in the second round, and its partition may go then.
  const lost = name === noRoom ? shifted - (await oldEvents(records)) : 0;
  return { name, waiting, shifted, lost, quarantined };
}

const shiftedId = `(lpad(to_hex(('x' || substr(replace(id::text, '-', ''), 1, 12))::bit(48)::bigint - ${shiftDays * dayMs}), 12, '0') || substr(replace(id::text, '-', ''), 13))::uuid`;

/** The database's clock cannot be set: what waits becomes older instead, ids and partitions included. Returns how many. */
async function shiftOutbox(records: Records): Promise<number> {
  let shifted = 0;
  for (const service of services) {
    for (const day of [shiftDays + 1, shiftDays]) await addPartition(records, service, day);
    const rows = await records.query(
      service,
      `UPDATE outbox SET id = ${shiftedId}, created_at = created_at - interval '${shiftDays} days'
       WHERE published_at IS NULL AND created_at > now() - interval '1 day' RETURNING 1`,
    );
    shifted += rows.length;
  }
  return shifted;
}

async function addPartition(
  records: Records,
  service: (typeof services)[number],
  daysAgo: number,
): Promise<void> {
  const start = Math.floor(Date.now() / dayMs) * dayMs - daysAgo * dayMs;
  const name = `outbox_p${new Date(start).toISOString().slice(0, 10).replaceAll('-', '')}`;
  const [row] = await records.query<{ owner: string; exists: boolean }>(
    service,
    `SELECT relowner::regrole::text AS owner, to_regclass('${name}') IS NOT NULL AS exists FROM pg_class WHERE relname = 'outbox' AND relkind = 'p'`,
  );
  if (row!.exists) return;
  await records.query(
    service,
    `CREATE TABLE ${name} PARTITION OF outbox FOR VALUES FROM ('${lowestIdOf(start)}') TO ('${lowestIdOf(start + dayMs)}');
     ALTER TABLE ${name} OWNER TO ${row!.owner}`,
  );
}

const oldEvents = (records: Records): Promise<number> =>
  sum(
    records,
    `SELECT count(*)::int AS n FROM outbox WHERE published_at IS NULL AND created_at < now() - interval '2 days'`,
  );

/** As docs/runbooks/PosthornEventsQuarantined.md says, once the cause is gone. Returns how many. */
const releaseQuarantined = (records: Records): Promise<number> =>
  sum(
    records,
    `WITH freed AS (UPDATE outbox SET quarantined_at = NULL, quarantine_reason = NULL, refusals = 0
       WHERE published_at IS NULL AND quarantined_at IS NOT NULL RETURNING 1) SELECT count(*)::int AS n FROM freed`,
  );

async function sum(records: Records, sql: string): Promise<number> {
  const rows = await Promise.all(services.map((service) => records.query<{ n: number }>(service, sql)));
  return rows.reduce((total, [row]) => total + row!.n, 0);
}

async function judge(
  { crashes }: Stage,
  tenants: readonly Tenant[],
  rounds: readonly Refused[],
  released: number,
): Promise<Verdict> {
  const { records } = tenants[0]!;
  const unfinished = await unfinishedOf(tenants);
  const deadLetters = await records.deadLetters();
  const accepted = tenants.reduce((total, tenant) => total + tenant.accepted.length, 0);
  return {
    lines: [
      ...rounds.map(
        ({ name, waiting, shifted, quarantined }) =>
          `NATS has ${name}: ${waiting} events waited, ${shifted} of them became ${shiftDays} days old, ${quarantined} were quarantined`,
      ),
      `Released from quarantine as the runbook says: ${released}`,
      `In the end: ${JSON.stringify(unfinished)} of ${accepted} messages`,
    ],
    figures: { rounds: rounds.map(({ waiting, shifted }) => ({ waiting, shifted })), released },
    findings: [
      finding(
        'refused',
        'a round in which NATS refused nothing, so that it proves nothing',
        rounds.length,
        rounds.map(({ name, waiting }) => (waiting === 0 ? `${name}: nothing waited` : null)),
      ),
      finding(
        'G10 kept',
        'an event that was dropped although it was never published',
        rounds.reduce((total, { shifted }) => total + shifted, 0),
        rounds.map(({ name, lost }) => (lost > 0 ? `${name}: ${lost} are gone` : null)),
      ),
      finding('G10', 'events that do not arrive once NATS is back, and dead letters', accepted, [
        ...Object.entries(unfinished).flatMap(([what, count]) => (count > 0 ? [`${what}: ${count}`] : [])),
        ...deadLetters,
      ]),
      await recount(tenants),
      finding(
        'G17',
        'a send that was never answered',
        accepted,
        tenants.flatMap(({ unanswered }) => unanswered),
      ),
      finding('G18', 'a process ended', 1, [...crashes]),
    ],
  };
}
