import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@posthorn/database';
import { chooseQuietPort } from '@posthorn/dev';
import { eventually } from '@posthorn/testing';
import { emailIdOf, readSinkLedger, type SinkLine } from '../../judging/ledger.js';
import { oneOfEach, runSuite, type Stage, type SuiteOptions } from '../suite.js';
import { inTurns, Tenant } from '../tenant.js';
import { BouncePort, worstMails } from './bounce-port.js';
import { judgeCrowds, linesOf, type CrowdsEvidence, type Measured, type Phase } from './judge-crowds.js';

const phaseMs = 40_000;
const workflowsOfCrowd = 200;
const slowExecutions = 400;
const crowdEvents = 1_000;
const postersAtOnce = 10;
const networksOfHolders = ['127.0.11.', '127.0.12.', '127.0.13.'];
const perHolder = 60;

type Noise = (until: AbortSignal) => Promise<unknown>;

/** One project that must not notice what strangers and other projects do, measured alone and beside each of them. */
export const runCrowds = async (options: SuiteOptions): Promise<boolean> => {
  const port = await chooseQuietPort();
  const environment = { INBOUND_PORT: String(port), RATE_LIMIT_ENABLED: 'false' };
  return runSuite(options, { name: 'crowds', replicas: oneOfEach, environment }, async (stage) => {
    const innocent = await Innocent.create(stage, port);
    // What runs for the first time is slow by itself.
    await phase('warm-up', stage, innocent, async () => undefined);
    const phases: Phase[] = [await phase('alone', stage, innocent, async () => undefined)];
    for (const [name, noise] of await noisesOf(stage, port))
      phases.push(await phase(name, stage, innocent, noise));
    innocent.close();
    const evidence: CrowdsEvidence = { phases, crashes: stage.crashes };
    return {
      lines: linesOf(evidence),
      figures: { phases: phases.map(({ name }) => name), crashes: stage.crashes.length },
      findings: judgeCrowds(evidence),
    };
  });
};

async function phase(name: string, stage: Stage, innocent: Innocent, noise: Noise): Promise<Phase> {
  const ended = new AbortController();
  const made = noise(ended.signal);
  const measures = await innocent.measure(phaseMs);
  ended.abort();
  await made;
  return { name, ...(await innocent.settled(measures, () => readSinkLedger(stage.fixture.sinkLedger))) };
}

/** What each of them does in its own way, at once and until it is told to stop. */
async function noisesOf(stage: Stage, port: number): Promise<[string, Noise][]> {
  const bounces = new BouncePort(port);
  const returnPath = await returnPathOf(stage);
  const slow = await Tenant.create(stage, 'slow');
  await slowWorkflow(slow, slowExecutions);
  const crowd = await Tenant.create(stage, 'crowd');
  await manyWorkflows(crowd, workflowsOfCrowd);
  return [
    [
      'mail of a stranger to a return path',
      (until) =>
        Promise.all(
          Array.from({ length: postersAtOnce }, async (_, index) => {
            for (let count = index; !until.aborted; count += 1)
              await bounces.post(returnPath, worstMails[count % worstMails.length]!, `127.0.${20 + index}.1`);
          }),
        ),
    ],
    [
      'connections held by three networks',
      async (until) => {
        const held = networksOfHolders.flatMap((network) =>
          Array.from({ length: perHolder }, (_, index) => bounces.hold(`${network}${index + 1}`, until)),
        );
        await Promise.all(held);
      },
    ],
    ['slow texts in the workflows of a project', eventsOf(slow, slowExecutions)],
    [`${workflowsOfCrowd} workflows that ${crowdEvents} events start`, eventsOf(crowd, crowdEvents)],
  ];
}

/** So many, each of somebody else. */
const eventsOf =
  (tenant: Tenant, count: number): Noise =>
  async (until) => {
    for (let index = 0; index < count && !until.aborted; index += 1) {
      const email = `${tenant.name}-${index}@sink.test`;
      await tenant.request('POST', '/api/v1/events', { name: countedEvent, email });
    }
    while (!until.aborted) await delay(100);
  };

/** Whoever got a mail knows a return path. */
async function returnPathOf(stage: Stage): Promise<string> {
  const anybody = await Tenant.create(stage, 'stranger');
  await anybody.sendSurely({ to: 'stranger@sink.test', subject: 'Hello', body: '<p>Hello</p>' });
  anybody.close();
  const line = await eventually(
    async () => readSinkLedger(stage.fixture.sinkLedger).find(({ to }) => to === 'stranger@sink.test'),
    'the mail to the stranger arrives',
  );
  return line.from;
}

const everyMs = 250;
const settleMs = 30_000;
const event = 'ordered';
const people = 2_000;
const ownAddress = '127.1.1.1';

interface Measures {
  apiMs: number[];
  bounceMs: (number | null)[];
  mails: { id: string; askedAt: number }[];
  /** By the address of the mail that it sends. */
  executions: Map<string, number>;
}

/** Sends a mail, reads it, starts a workflow of two steps and visits the port for bounces, again and again. */
class Innocent {
  private started = 0;

  private constructor(
    private readonly tenant: Tenant,
    private readonly bounces: BouncePort,
  ) {}

  static async create(stage: Stage, port: number): Promise<Innocent> {
    const tenant = await Tenant.create(stage, 'innocent');
    await tenant.makeReaders(Array.from({ length: people }, (_, index) => addressOf(index)));
    await enabledWorkflow(tenant, event, [
      { type: 'UPDATE_CONTACT', config: { updates: { ordered: true } } },
      { type: 'SEND_EMAIL', config: { subject: 'Your order', body: '<p>Hello {{ contact.email }}</p>' } },
    ]);
    return new Innocent(tenant, new BouncePort(port));
  }

  async measure(forMs: number): Promise<Measures> {
    const measures: Measures = { apiMs: [], bounceMs: [], mails: [], executions: new Map() };
    const until = performance.now() + forMs;
    const rounds: Promise<void>[] = [];
    while (performance.now() < until) {
      rounds.push(this.round(measures));
      await delay(everyMs);
    }
    await Promise.all(rounds);
    return measures;
  }

  /** Once everything has arrived, or half a minute later: what is missing then counts as late as that. */
  async settled(measures: Measures, read: () => SinkLine[]): Promise<Measured> {
    const until = performance.now() + settleMs;
    for (;;) {
      const arrived = new Map(read().map((line) => [emailIdOf(line), line.receivedAt]));
      const reached = new Map(read().map((line) => [line.to, line.receivedAt]));
      const isOver = performance.now() >= until;
      const now = performance.timeOrigin + performance.now();
      const mails = measures.mails.map(({ id, askedAt }) => ({ at: arrived.get(id), askedAt }));
      const executions = [...measures.executions].map(([to, askedAt]) => ({ at: reached.get(to), askedAt }));
      if (isOver || [...mails, ...executions].every(({ at }) => at !== undefined))
        return {
          api: measures.apiMs,
          mail: mails.map(({ at = now, askedAt }) => at - askedAt),
          workflow: executions.map(({ at = now, askedAt }) => at - askedAt),
          bounces: measures.bounceMs.map((ms) => ms ?? settleMs),
        };
      await delay(200);
    }
  }

  close(): void {
    this.tenant.close();
  }

  private async round({ apiMs, bounceMs, mails, executions }: Measures): Promise<void> {
    const timed = async (method: string, path: string, body?: object) => {
      const answer = await this.tenant.request(method, path, body);
      apiMs.push(answer.endedAt - answer.beganAt);
      return answer;
    };
    const index = this.started++;
    const to = addressOf(index);
    executions.set(to, performance.timeOrigin + performance.now());
    await timed('POST', '/api/v1/events', { name: event, email: to });
    const sent = await timed('POST', '/api/v1/emails', {
      to: `mail-${index}@sink.test`,
      subject: 'Hello',
      body: '<p>Hello</p>',
    });
    if (sent.status === 202) {
      const { id } = JSON.parse(sent.body!) as { id: string };
      mails.push({ id, askedAt: performance.timeOrigin + sent.beganAt });
      await timed('GET', `/api/v1/emails/${id}`);
    }
    bounceMs.push(await this.bounces.visit(ownAddress));
  }
}

const addressOf = (index: number): string => `order-${index}@sink.test`;

const countedEvent = 'crowded';

/** About a third of a second of work each time it is rendered. */
const slowText = `{% for a in (1..600) %}{% for b in (1..100) %}{{ a | plus: b }}{% endfor %}{% endfor %}`;

interface Step {
  type: string;
  config: object;
}

/** Steps one after the other, behind the trigger. */
function graphOf(steps: readonly Step[]): object {
  const all = [{ type: 'TRIGGER', config: {} }, ...steps].map((step, index) => ({
    id: newId(),
    name: `step ${index}`,
    position: { x: 0, y: 0 },
    ...step,
  }));
  const transitions = all.slice(1).map(({ id }, index) => ({
    id: newId(),
    from_step_id: all[index]!.id,
    to_step_id: id,
    condition: null,
    priority: 0,
  }));
  return { steps: all, transitions };
}

async function enabledWorkflow(
  tenant: Tenant,
  event: string,
  steps: readonly Step[],
  more: object = {},
): Promise<void> {
  const { id } = await tenant.surely('POST', '/api/v1/workflows', {
    name: event,
    trigger_type: 'EVENT',
    event_name: event,
    ...more,
  });
  await tenant.surely('PUT', `/api/v1/workflows/${id as string}/graph`, graphOf(steps));
  await tenant.surely('POST', `/api/v1/workflows/${id as string}/resume`);
}

/** Each of its executions renders a slow text twice. */
async function slowWorkflow(tenant: Tenant, people: number): Promise<void> {
  await tenant.makeReaders(Array.from({ length: people }, (_, index) => `slow-${index}@sink.test`));
  const slow = { type: 'SEND_EMAIL', config: { subject: 'Slow', body: `<p>${slowText}</p>` } };
  await enabledWorkflow(tenant, countedEvent, [slow, slow]);
}

async function manyWorkflows(tenant: Tenant, count: number): Promise<void> {
  const mark = { type: 'UPDATE_CONTACT', config: { updates: { reached: true } } };
  await inTurns(Array.from({ length: count }), 4, () =>
    enabledWorkflow(tenant, countedEvent, [mark], { allow_reentry: true }),
  );
}
