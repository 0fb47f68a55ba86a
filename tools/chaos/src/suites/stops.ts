import { setTimeout as delay } from 'node:timers/promises';
import type { ServiceName } from '@posthorn/contracts';
import { inTransaction } from '../faults/in-transaction.js';
import { heldAt, watching, type Lock } from '../faults/lock-trap.js';
import { finding, type Finding } from '../judging/finding.js';
import type { EmailRow } from '../judging/records.js';
import { emailIdOf, readSinkLedger, type SinkLine } from '../judging/sink-ledger.js';
import { workLeft, judgeWork } from '../judging/work-books.js';
import type { Member } from '../process-group.js';
import { untilQuiet } from '../product.js';
import { recount, unfinishedOf } from './recount.js';
import { reportedLater, runSuite, type Stage, type SuiteOptions, type Verdict } from './suite.js';
import { Tenant } from './tenant.js';

const replicas = { sending: 2, contacts: 2, analytics: 2, campaigns: 2, workflows: 2, gateway: 2 };
/** Longer than a handler may take and than an event stays without an answer; shorter than a minute. */
export const stopMs = { least: 26_000, most: 59_000 };
const staggerMs = 8_000;
const catchMs = 4_000;
const settleSeconds = 150;
const maxCopies = 2;
const lockTimeout = '55P03';
/** Messages in hand-off when a process stops: its connections to the mail server. */
const connections = 16;
const projects = ['first', 'second', 'third'];
const recipients = ['ok', 'ok', 'ok', 'late-at-accept-700', 'late-at-data-90'];

interface Stop {
  member: Member;
  ms: number;
  /** It had a transaction open. */
  inTransaction: boolean;
}

/** Processes stand still for up to a minute in the middle of what they do, one after another, and go on as if nothing had been. */
export const runStops = (options: SuiteOptions): Promise<boolean> =>
  runSuite(options, { name: 'stops', replicas }, async (stage) => {
    const share = Math.ceil(options.sends / projects.length);
    const tenants: Tenant[] = [];
    for (const name of projects) {
      const tenant = await Tenant.create(stage.fixture, stage.processes, name);
      await tenant.makeReaders(Array.from({ length: share }, (_, index) => addressOf(name, index)));
      tenants.push(tenant);
    }
    const loadMs = options.faults * staggerMs + stopMs.least;
    const loads = tenants.map((tenant) => reportedLater(load(tenant, share, loadMs)));
    const stops = await stopMembers(stage);
    await Promise.all(loads);
    await stage.processes.untilAllReady();
    await untilQuiet(() => unfinishedOf(tenants), settleSeconds);
    const verdict = await judge(stage, tenants, stops);
    for (const tenant of tenants) tenant.close();
    return verdict;
  });

const addressOf = (name: string, index: number): string =>
  `${recipients[index % recipients.length]}+${name}-${index}@sink.test`;

/** Spread over the time; what meets a stopped gateway is asked again elsewhere. */
async function load(tenant: Tenant, count: number, overMs: number): Promise<void> {
  const sends: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    const to = addressOf(tenant.name, index);
    sends.push(tenant.sendSurely({ to, subject: 'Stops', body: `<p>To ${to}</p>` }));
    await delay(overMs / count);
  }
  await Promise.all(sends);
}

async function stopMembers(stage: Stage): Promise<Stop[]> {
  const { options, processes, random } = stage;
  const members = (Object.keys(replicas) as (keyof typeof replicas)[]).flatMap((service) =>
    processes.names(service),
  );
  const order = random.shuffled(members);
  const stops: Promise<Stop>[] = [];
  const done = new Set<Member>();
  for (let index = 0; index < options.faults; index += 1) {
    const ms = random.whole(stopMs.least, stopMs.most);
    stops.push(reportedLater(stopOne(stage, order[index % order.length]!, ms, done)));
    await delay(staggerMs);
  }
  return Promise.all(stops);
}

/** Subscribers are kept in the transaction of a batch by a lock that its effect waits for. */
const effects: Partial<Record<ServiceName, Lock>> = {
  contacts: { table: 'mail_summaries', statement: '%INSERT INTO mail_summaries%' },
  analytics: { table: 'daily_counts', statement: '%INSERT INTO daily_counts%' },
};

/** In the middle of a transaction, where one comes in time; of a subscriber, whichever process comes first. */
async function stopOne(
  { processes, fixture }: Stage,
  wanted: Member,
  ms: number,
  done: Set<Member>,
): Promise<Stop> {
  const service = wanted.split('-', 1)[0] as ServiceName;
  const other = () => processes.names(service).find((name) => !done.has(name)) ?? wanted;
  const url = new URL(fixture.databaseUrl);
  let member = wanted;
  const stop = (found: Member, inTransaction: boolean) => {
    member = found;
    done.add(member);
    processes.signal(member, 'SIGSTOP');
    console.log(
      `${member} stands still for ${Math.round(ms / 1_000)} s${inTransaction ? ', in a transaction' : ''}`,
    );
  };
  const lock = effects[service];
  if (lock) url.pathname = `/posthorn_${service}`;
  const connect = () => watching(url.toString());
  const caught = lock
    ? await heldAt(connect, lock, catchMs, ({ pid }) =>
        Promise.resolve(stop(processes.memberOf(pid!) ?? wanted, true)),
      ).catch(unlessLocked)
    : await inTransaction(connect, processes, wanted, catchMs);
  if (!lock || !caught) stop(lock ? other() : wanted, caught !== null);
  await delay(ms);
  processes.signal(member, 'SIGCONT');
  return { member, ms, inTransaction: caught !== null };
}

/** One that stands still may hold the table itself: then the next one is stopped as it is. */
function unlessLocked(error: { code?: string }): null {
  if (error.code === lockTimeout) return null;
  throw error;
}

async function judge(
  { fixture, crashes }: Stage,
  tenants: readonly Tenant[],
  stops: readonly Stop[],
): Promise<Verdict> {
  const { records } = tenants[0]!;
  const sink = readSinkLedger(fixture.sinkLedger);
  const rows = (await Promise.all(tenants.map((tenant) => tenant.records.emails()))).flat();
  const unfinished = await unfinishedOf(tenants);
  const sendingStops = stops.filter(({ member }) => member.startsWith('sending')).length;
  const deadLetters = await records.deadLetters();
  const byEmail = Map.groupBy(sink, emailIdOf);
  const repeats = sink.length - byEmail.size;
  return {
    lines: [
      `Stops: ${stops.map(({ member, ms }) => `${member} ${Math.round(ms / 1_000)} s`).join(' · ')}`,
      `In the middle of a transaction: ${stops.filter(({ inTransaction }) => inTransaction).length} of ${stops.length}`,
      `At the mail server: ${sink.length} messages, ${repeats} repeats`,
      `In the end: ${JSON.stringify(unfinished)}`,
    ],
    figures: { stops: stops.length, messages: byEmail.size, repeats },
    findings: [
      lost(tenants, rows, byEmail),
      finding(
        'G4',
        `more than ${connections} repeats for each stop of a sending process, or a message that came more than ${maxCopies} times`,
        byEmail.size,
        [
          repeats > connections * sendingStops ? `${repeats} repeats in ${sendingStops} stops` : null,
          ...[...byEmail.values()].map((lines) =>
            lines.length > maxCopies ? `${lines[0]!.to} came ${lines.length} times` : null,
          ),
        ],
      ),
      finding('G3 G5 G10', 'work that is not finished, and dead letters', rows.length, [
        ...Object.entries(unfinished).flatMap(([what, count]) => (count > 0 ? [`${what}: ${count}`] : [])),
        ...deadLetters,
      ]),
      await recount(tenants),
      judgeWork(await workLeft(records)),
      finding('G18', 'a process ended', stops.length, [...crashes]),
    ],
  };
}

function lost(
  tenants: readonly Tenant[],
  rows: readonly EmailRow[],
  byEmail: ReadonlyMap<string, readonly SinkLine[]>,
): Finding {
  const known = new Map(rows.map((row) => [row.id, row]));
  const accepted = tenants.flatMap((tenant) => tenant.accepted);
  return finding(
    'G1 G3',
    'accepted, and not delivered once at least, or a send that was never answered',
    accepted.length,
    [
      ...tenants.flatMap(({ unanswered }) => unanswered),
      ...accepted.map(({ id, to }) => {
        const row = known.get(id);
        if (row?.failureKind === 'delivery_unconfirmed') return null;
        return row?.status === 'DELIVERED' && byEmail.has(id) ? null : `${to} is ${row?.status ?? 'gone'}`;
      }),
    ],
  );
}
