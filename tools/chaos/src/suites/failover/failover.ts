import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hotUrl, provisionDatabase } from '@posthorn/database';
import { byWayOf, startPooler } from '@posthorn/dev';
import { Clients } from '../../client.js';
import { GatewayCalls } from '../../gateway-calls.js';
import { finding, type Finding } from '../../judging/finding.js';
import { knowledgeOf, Ledger, readSinkLedger } from '../../judging/ledger.js';
import { services, type Records } from '../../judging/records.js';
import { plainLoad } from '../../loads/load.js';
import { chaosProject, shortWaits, untilQuiet } from '../../product.js';
import { kindNamed } from '../../recipients.js';
import { quantile, runSuite, type Stage, type SuiteOptions, type Verdict } from '../suite.js';
import { PostgresPair } from './postgres-pair.js';

const replicas = { sending: 2, contacts: 1, analytics: 1, campaigns: 1, workflows: 1, gateway: 2 };
const atOnce = 12;
const settleSeconds = 180;
const withoutStandby = { sends: 40, seconds: 8 };
/** For one database, both of its roles together. */
const pooledConnections = 10;
const lookMs = 20;

export interface FailoverOptions {
  /** PgBouncer between the services and the address of the primary. */
  pooled?: boolean;
}

/** The primary is killed again and again under load; what was answered 202 must be in the one that took its place. */
export async function runFailover(
  options: SuiteOptions,
  { pooled = false }: FailoverOptions = {},
): Promise<boolean> {
  const synchronous = process.env['CHAOS_ASYNC_STANDBY'] !== 'true';
  const pair = await PostgresPair.start(options.directory, { synchronous });
  const pooler = pooled ? await poolerFor(pair, options.directory) : null;
  const environment = {
    ...(pooler?.environment ?? {}),
    ...(synchronous ? {} : { ALLOW_ASYNC_STANDBY: 'true' }),
  };
  const setup = { name: pooled ? 'failover-pooled' : 'failover', replicas, environment, postgres: pair };
  try {
    return await runSuite(options, setup, (stage) => act(stage, pair));
  } finally {
    await pooler?.stop();
    await pair.stop();
  }
}

async function poolerFor(pair: PostgresPair, directory: string) {
  const environment: Record<string, string> = {};
  const databases: string[] = [];
  for (const service of services) {
    const secretKey = shortWaits.POSTHORN_SECRET_KEY;
    const url = await provisionDatabase({ adminUrl: pair.url, service, secretKey });
    environment[`${service.toUpperCase()}_DIRECT_DATABASE_URL`] = url;
    databases.push(url, hotUrl(url));
  }
  const pooler = await startPooler({
    directory: join(directory, 'pooler'),
    databases,
    poolSize: pooledConnections / 2,
  });
  for (const service of services) {
    const direct = environment[`${service.toUpperCase()}_DIRECT_DATABASE_URL`]!;
    environment[`${service.toUpperCase()}_DATABASE_URL`] = byWayOf(pooler, direct);
  }
  return { environment, stop: () => pooler.stop() };
}

async function act(stage: Stage, pair: PostgresPair): Promise<Verdict> {
  const { fixture, processes, options } = stage;
  const ledger = new Ledger(join(options.directory, 'calls.jsonl'));
  const { token, records } = await chaosProject(fixture);
  const clients = new Clients(processes.gateways, token, ledger, { ...options, load: plainLoad });
  const kind = kindNamed('ok');
  const batch = Array.from({ length: options.sends }, (_, index) => ({
    ...plainLoad.wanted(index, stage.random, kind),
    key: `failover-${index}`,
  }));
  let isSent = false;
  const sending = clients.send(batch, { atOnce, restMs: 0 }).finally(() => (isSent = true));
  const failovers: { awayMs: number; backMs: number }[] = [];
  for (let index = 0; index < options.faults && !isSent; index += 1) {
    const wanted = ((index + 1) * options.sends) / (options.faults + 1);
    while (accepted(ledger).size < wanted && !isSent) await delay(lookMs);
    const began = performance.now();
    const before = accepted(ledger).size;
    const awayMs = await pair.failOver();
    while (accepted(ledger).size <= before + atOnce && !isSent) await delay(lookMs);
    failovers.push({ awayMs, backMs: performance.now() - began });
    console.log(`failover ${index + 1} of ${options.faults}: ${accepted(ledger).size} accepted`);
  }
  await sending;
  await clients.drained();
  const alone = await sendWithoutStandby(stage, pair, token);
  await processes.untilAllReady();
  await untilQuiet(() => records.unfinished(), settleSeconds);
  ledger.close();
  return judged(stage, { records, acknowledged: [...accepted(ledger)], failovers, alone });
}

const accepted = ({ sends }: Ledger): Set<string> =>
  new Set(
    sends.flatMap((send) => {
      const knowledge = knowledgeOf(send);
      return knowledge.kind === 'accepted' ? knowledge.ids : [];
    }),
  );

/** Returns the status of each answer while no standby confirms, and of one when it does again. */
async function sendWithoutStandby(
  { processes }: Stage,
  pair: PostgresPair,
  token: string,
): Promise<{ statuses: (number | null)[]; afterwards: number | null }> {
  const calls = new GatewayCalls(processes.gateways, token);
  let made = 0;
  const send = () => {
    const to = `ok+alone-${(made += 1)}@sink.test`;
    return calls.request(
      0,
      'POST',
      '/api/v1/emails',
      JSON.stringify({ to, subject: 'Alone', body: '<p>Hello</p>' }),
    );
  };
  await pair.stopStandby();
  const statuses: (number | null)[] = [];
  const until = performance.now() + withoutStandby.seconds * 1_000;
  while (performance.now() < until || statuses.length < withoutStandby.sends)
    statuses.push(...(await Promise.all([send(), send(), send(), send()])).map(({ status }) => status));
  await pair.startStandby();
  await processes.untilAllReady();
  let afterwards: number | null = null;
  for (let tries = 0; tries < 60 && afterwards !== 202; tries += 1) afterwards = (await send()).status;
  calls.close();
  return { statuses, afterwards };
}

interface Outcome {
  records: Records;
  acknowledged: string[];
  failovers: { awayMs: number; backMs: number }[];
  alone: { statuses: (number | null)[]; afterwards: number | null };
}

async function judged(
  { options, fixture, crashes }: Stage,
  { records, acknowledged, failovers, alone }: Outcome,
): Promise<Verdict> {
  const rows = await records.emails();
  const unfinished = await records.unfinished();
  const kept = new Set(rows.map(({ id }) => id));
  const isLost = (id: string) => (kept.has(id) ? null : id);
  const copies = readSinkLedger(fixture.sinkLedger);
  const repeats = copies.length - new Set(copies.map(({ messageId }) => messageId)).size;
  const awayMs = failovers.map((each) => Math.round(each.awayMs));
  const backMs = failovers.map((each) => Math.round(each.backMs));
  const findings: Finding[] = [
    finding(
      'G1',
      'mail that was answered 202 and is not in the primary',
      acknowledged.length,
      acknowledged.map(isLost),
    ),
    finding(
      'G1 alone',
      'a send that was answered 202 while no standby confirmed',
      alone.statuses.length,
      alone.statuses.map((status) => (status === 202 ? '202' : null)),
    ),
    finding('back', 'sends that stay refused when the standby is back', 1, [
      alone.afterwards === 202 ? null : `answered ${alone.afterwards}`,
    ]),
    finding(
      'G3 G5 G10',
      'work that is not finished',
      rows.length,
      Object.entries(unfinished).map(([what, count]) => (count > 0 ? `${what}: ${count}` : null)),
    ),
    finding('G18', 'a process ended', failovers.length, [...crashes]),
    finding('strikes', 'too few failovers: the run proves little', failovers.length, [
      failovers.length < options.faults ? `${failovers.length} of ${options.faults}` : null,
    ]),
  ];
  return {
    lines: [
      `Failovers: ${failovers.length}; away ms ${awayMs.join(' ')}; accepting again, with a new standby, after ms ${backMs.join(' ')}`,
      `Without a standby: ${alone.statuses.length} sends, answers ${[...new Set(alone.statuses)].join(', ')}`,
      `At the mail server: ${copies.length} messages, ${repeats} repeats`,
    ],
    figures: {
      sends: options.sends,
      acknowledged: acknowledged.length,
      lost: acknowledged.filter((id) => isLost(id) !== null).length,
      failovers: failovers.length,
      slowestMs: quantile(backMs, 1),
      copies: copies.length,
      repeats,
    },
    findings,
  };
}
