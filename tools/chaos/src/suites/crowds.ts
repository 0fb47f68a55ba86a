import { setTimeout as delay } from 'node:timers/promises';
import { chooseQuietPort } from '@posthorn/dev';
import { eventually } from '@posthorn/testing';
import { readSinkLedger } from '../judging/sink-ledger.js';
import { BouncePort, worstMails } from './crowds/bounce-port.js';
import { judgeCrowds, linesOf, type CrowdsEvidence, type Phase } from './crowds/judge-crowds.js';
import { Innocent } from './crowds/innocent.js';
import { countedEvent, manyWorkflows, slowWorkflow } from './crowds/crowded-workflows.js';
import { oneOfEach, runSuite, type Stage, type SuiteOptions } from './suite.js';
import { Tenant } from './tenant.js';

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
  const slow = await Tenant.create(stage.fixture, stage.processes, 'slow');
  await slowWorkflow(slow, slowExecutions);
  const crowd = await Tenant.create(stage.fixture, stage.processes, 'crowd');
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
    [
      'slow texts in the workflows of a project',
      async (until) => {
        for (let index = 0; index < slowExecutions && !until.aborted; index += 1)
          await slow.request('POST', '/api/v1/events', {
            name: countedEvent,
            email: `slow-${index}@sink.test`,
          });
        await stopped(until);
      },
    ],
    [
      `${workflowsOfCrowd} workflows that ${crowdEvents} events start`,
      async (until) => {
        for (let index = 0; index < crowdEvents && !until.aborted; index += 1)
          await crowd.request('POST', '/api/v1/events', {
            name: countedEvent,
            email: `crowd-${index}@sink.test`,
          });
        await stopped(until);
      },
    ],
  ];
}

const stopped = async (until: AbortSignal): Promise<void> => {
  while (!until.aborted) await delay(100);
};

/** Whoever got a mail knows a return path. */
async function returnPathOf(stage: Stage): Promise<string> {
  const anybody = await Tenant.create(stage.fixture, stage.processes, 'stranger');
  await anybody.sendSurely({ to: 'stranger@sink.test', subject: 'Hello', body: '<p>Hello</p>' });
  anybody.close();
  const line = await eventually(
    async () => readSinkLedger(stage.fixture.sinkLedger).find(({ to }) => to === 'stranger@sink.test'),
    'the mail to the stranger arrives',
  );
  return line.from;
}
