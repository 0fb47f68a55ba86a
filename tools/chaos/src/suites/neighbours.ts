import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { projects } from '@posthorn/contracts';
import { readSinkLedger } from '../judging/sink-ledger.js';
import { judgeNeighbours, linesOf, type NeighboursEvidence } from './judge-neighbours.js';
import { asOperator } from './operator.js';
import { oneOfEach, runSuite, type Stage, type SuiteOptions } from './suite.js';
import { Tenant } from './tenant.js';

const loadMs = 100_000;
const victimEveryMs = { least: 400, most: 1_000 };
const bulkCount = 60;
const suppressedCount = 1_500;
const slowCount = 150;
const droppingCount = 150;
const floodPerBatch = 100;
/** What the process had taken in hand when it was told. */
const disabledGraceMs = 3_000;

const endless = `{% for a in (1..9999) %}{% for b in (1..9999) %}{% for c in (1..9999) %}x{% endfor %}{% endfor %}{% endfor %}`;
const names = ['disabled', 'suppressed', 'slow', 'flood', 'dropping', 'victim'] as const;
type Tenants = Record<(typeof names)[number], Tenant>;

const plain = (to: string) => ({ to, subject: 'Neighbours', body: `<p>To ${to}</p>` });
const many = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

/** Five projects, each bad in its own way, and one that must not notice, at the default pace. */
export const runNeighbours = (options: SuiteOptions): Promise<boolean> =>
  runSuite(options, { name: 'neighbours', replicas: { ...oneOfEach, sending: 2 } }, async (stage) => {
    const tenants = await createTenants(stage);
    const bulk = await marketingTemplate(tenants.victim);
    const disabledAt = await fillQueues(stage, tenants);
    await delay(disabledGraceMs);
    const claimsBefore = await claimsOf(tenants.disabled);
    await tenants.victim.sendBatches(
      many(bulkCount, (index) => ({ to: `bulk-${index}@sink.test`, ...bulk })),
    );
    const from = Date.now();
    await load(stage, tenants);
    const to = Date.now();
    const evidence: NeighboursEvidence = {
      ...{ disabledAt, from, to, bulkCount },
      ratePerSecond: stage.options.ratePerSecond,
      sink: readSinkLedger(stage.fixture.sinkLedger),
      victim: tenants.victim.accepted.filter(({ to: address }) => address.startsWith('victim')),
      claims: { before: claimsBefore, after: await claimsOf(tenants.disabled) },
      waiting: await waitingOf(tenants.disabled),
      owners: ownersOf(tenants),
      answers: [...tenants.victim.answers],
      crashes: stage.crashes,
    };
    for (const tenant of Object.values(tenants)) tenant.close();
    return {
      lines: linesOf(evidence),
      figures: { queued: stage.options.sends, crashes: stage.crashes.length },
      findings: judgeNeighbours(evidence),
    };
  });

async function createTenants({ fixture, processes }: Stage): Promise<Tenants> {
  const made: [string, Tenant][] = [];
  for (const name of names) made.push([name, await Tenant.create(fixture, processes, name)]);
  return Object.fromEntries(made) as Tenants;
}

async function marketingTemplate(victim: Tenant): Promise<{ template: string }> {
  const made = await victim.surely('POST', '/api/v1/templates', {
    ...{ name: 'Bulk', subject: 'Bulk', body: '<p>Bulk</p>', email_category: 'MARKETING' },
  });
  return { template: made['id'] as string };
}

/** Everything that is there before the victim begins. Returns when the disabled project was disabled. */
async function fillQueues({ options, fixture }: Stage, tenants: Tenants): Promise<number> {
  await tenants.disabled.sendBatches(many(options.sends, (index) => plain(`disabled-${index}@sink.test`)));
  const { projectId: id } = tenants.disabled;
  await asOperator(fixture.natsUrl, (bus, caller) =>
    bus.call(projects.disable, caller, { id, reason: 'MANUAL' }),
  );
  const disabledAt = Date.now();
  await tenants.suppressed.sendBatches(many(suppressedCount, () => plain('suppressed@sink.test')));
  await tenants.suppressed.surely('POST', '/api/v1/suppressions', { email: 'suppressed@sink.test' });
  return disabledAt;
}

/** Noise from every side, each part of it at places drawn by the seed, while the victim sends now and then. */
async function load({ random }: Stage, { victim, flood, slow, dropping }: Tenants): Promise<void> {
  const until = performance.now() + loadMs;
  const spread = async (count: number, work: (index: number) => Promise<unknown>) => {
    for (let index = 0; index < count && performance.now() < until; index += 1) {
      await work(index);
      await delay(random.whole(0, (1.5 * loadMs) / count));
    }
  };
  let flooded = 0;
  const floods = async () => {
    for (; performance.now() < until; flooded += floodPerBatch) {
      const first = flooded;
      await flood.sendBatches(many(floodPerBatch, (index) => plain(`flood-${first + index}@sink.test`)));
      await delay(3_000);
    }
  };
  const victims = async () => {
    for (let index = 0; performance.now() < until; index += 1) {
      await victim.send(plain(`victim-${index}@sink.test`));
      await delay(random.whole(victimEveryMs.least, victimEveryMs.most));
    }
  };
  await Promise.all([
    floods(),
    victims(),
    spread(slowCount, (index) =>
      slow.send({ ...plain(`slow-${index}@sink.test`), body: `${endless}${index}`, data: { name: 'Ada' } }),
    ),
    spread(droppingCount, (index) => dropping.send(plain(`drop-after-accept+${index}@sink.test`))),
  ]);
}

/** Every claim raises the token of its message. */
async function claimsOf({ records, projectId }: Tenant): Promise<number> {
  const [row] = await records.query<{ sum: number }>(
    'sending',
    `SELECT coalesce(sum(lease_token), 0)::int AS sum FROM deliveries WHERE project_id = $1`,
    [projectId],
  );
  return row!.sum;
}

async function waitingOf({ records, projectId }: Tenant): Promise<number> {
  const [row] = await records.query<{ count: number }>(
    'sending',
    `SELECT count(*)::int AS count FROM deliveries WHERE project_id = $1 AND state = 'QUEUED'`,
    [projectId],
  );
  return row!.count;
}

const ownersOf = (tenants: Tenants): Map<string, string> =>
  new Map(Object.values(tenants).flatMap(({ name, accepted }) => accepted.map(({ id }) => [id, name])));
