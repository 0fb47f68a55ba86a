import { readSinkLedger } from '../../judging/sink-ledger.js';
import { workLeft, type WorkCount } from '../../judging/work-books.js';
import { untilQuiet } from '../../product.js';
import { Random } from '../../random.js';
import { judgeCounts } from '../campaigns/judge-campaign-counts.js';
import { CountsWatch } from '../counts-watch.js';
import { judgeRest } from '../judge-rest.js';
import { unfinishedOf } from '../recount.js';
import { reportedLater, runSuite, type Stage, type SuiteOptions, type Verdict } from '../suite.js';
import { Tenant } from '../tenant.js';
import { judgeWorkflows } from './judge-workflows.js';
import { WebhookReceiver, type ReceivedCall } from './webhook-receiver.js';
import { AnswerWatch, startAll } from './workflow-events.js';
import type { WorkflowsEvidence } from './workflow-evidence.js';
import { participantsOf, type Participant } from './workflow-participants.js';
import {
  eventCallsOf,
  executionsOf,
  fieldsByEmail,
  openOnes,
  replayLate,
  statsOf,
  stepCallsOf,
  visitsOf,
  workflowCountsSql,
  workflowMailsOf,
} from './workflow-records.js';
import { build, type Built } from './workflow-setup.js';
import { WorkflowStrikes, workflowStrikePlan } from './workflow-strikes.js';

const replicas = { sending: 2, contacts: 2, analytics: 1, campaigns: 1, workflows: 2, gateway: 2 };
const environment = {
  // What is unknown is held, and ends soon.
  AMBIGUOUS_MARKETING_SECONDS: '4',
  WORK_LEASE_SECONDS: '5',
  WEBHOOK_ALLOW_PRIVATE: 'true',
};
const settleSeconds = 600;
/** Of the strikes that are asked for: some find nobody in their state. */
const leastStrikes = 3 / 4;

interface Act {
  stage: Stage;
  tenant: Tenant;
  receiver: WebhookReceiver;
  participants: readonly Participant[];
  built: Built;
  strikes: WorkflowStrikes;
  counts: CountsWatch;
  answers: AnswerWatch;
  replayed: number;
}

/** Executions of one workflow with mails, waits, timers and webhooks, while processes and servers are struck and the webhooks' receiver fails now and then. */
export const runWorkflows = (options: SuiteOptions): Promise<boolean> =>
  runSuite(options, { name: 'workflows', replicas, environment }, async (stage) => {
    const tenant = await Tenant.create(stage.fixture, stage.processes, 'workflows');
    const answering = tenant.sibling();
    const receiver = await WebhookReceiver.open(options.seed);
    try {
      const act = await prepare(stage, tenant, answering, receiver);
      await attack(act);
      await stage.processes.untilAllReady();
      await untilQuiet(() => leftOf(act), settleSeconds);
      await act.answers.stop();
      return await judge(act);
    } finally {
      receiver.close();
      for (const each of [tenant, answering]) each.close();
    }
  });

async function prepare(
  stage: Stage,
  tenant: Tenant,
  answering: Tenant,
  receiver: WebhookReceiver,
): Promise<Act> {
  const { sends, seed } = stage.options;
  const participants = participantsOf(sends, seed);
  const built = await build(tenant, receiver, participants);
  const strikes = new WorkflowStrikes(stage);
  const counts = new CountsWatch(tenant, 'workflows', workflowCountsSql);
  const answers = new AnswerWatch(answering, stage.fixture.sinkLedger, built, participants);
  return { stage, tenant, receiver, participants, built, strikes, counts, answers, replayed: 0 };
}

async function attack({ stage, tenant, participants, strikes }: Act): Promise<void> {
  const { faults, seed } = stage.options;
  const progress = () => (strikes.done.length + strikes.missed + 2) / faults;
  const started = reportedLater(startAll(tenant, participants, progress));
  await strikes.run(workflowStrikePlan(faults, new Random(seed + 2)));
  await started;
}

/** Each is 0 in the end. */
async function leftOf(act: Act): Promise<Record<string, number>> {
  act.replayed += await replayLate(act.tenant, act.built);
  return { ...(await openOnes(act.tenant)), ...(await unfinished(act)) };
}

/** There are more e-mails than contacts here, so that none can be missing for them. */
async function unfinished({ tenant }: Act): Promise<Record<string, number>> {
  const { missingContacts: _, ...rest } = await unfinishedOf([tenant]);
  return rest;
}

async function judge(act: Act): Promise<Verdict> {
  const { stage, tenant, strikes, counts } = act;
  const looks = await counts.stop();
  const { queues, counts: left } = await workLeft(tenant.records);
  const evidence = await gather(act, left.filter(isGivenUpWork));
  const { lines, figures } = told(act, evidence, looks.length);
  const rest = {
    ...{ stage, tenant, unfinished: await unfinished(act), strikes: strikes.done.length },
    work: { queues, counts: left.filter((count) => !isGivenUpWork(count)) },
  };
  return {
    ...{ lines, figures },
    findings: [
      ...judgeWorkflows(evidence),
      judgeCounts(looks, 'a workflow or a step'),
      ...(await judgeRest(rest)),
    ],
  };
}

/** The judge of workflows says how much of it can be explained. */
const isGivenUpWork = ({ kind, state }: WorkCount): boolean =>
  kind.startsWith('workflows.') && state === 'DEAD';

async function gather(act: Act, givenUp: readonly WorkCount[]): Promise<WorkflowsEvidence> {
  const { stage, tenant, receiver, participants, built, strikes } = act;
  const executions = await executionsOf(tenant, built);
  return {
    ...{ participants, executions, received: receiver.calls, strikes: strikes.done },
    visits: await visitsOf(tenant, built),
    mails: await workflowMailsOf(tenant),
    sink: readSinkLedger(stage.fixture.sinkLedger),
    fields: await fieldsByEmail(tenant),
    stepCalls: await stepCallsOf(tenant),
    eventCalls: await eventCallsOf(tenant),
    stats: await statsOf(tenant, built),
    givenUp: givenUp.reduce((sum, { items }) => sum + items, 0),
    endedAt: executions.reduce((last, { endedAt }) => Math.max(last, endedAt ?? 0), 0),
    wantedStrikes: Math.floor(stage.options.faults * leastStrikes),
  };
}

function told(
  { strikes, answers, replayed }: Act,
  evidence: WorkflowsEvidence,
  looks: number,
): Pick<Verdict, 'lines' | 'figures'> {
  const { executions, visits, mails, sink, received } = evidence;
  const ends = countedBy(executions, ({ status, reason }) => `${status} ${reason}`);
  const outcomes = countedBy(mails, ({ status, failureKind }) =>
    [status, failureKind ?? ''].join(' ').trim(),
  );
  const responses = countedBy(received, ({ status }) => String(status ?? 'none'));
  const ids = new Set(received.map(({ id }) => id)).size;
  const again = received.length - ids;
  return {
    lines: [
      `Strikes: ${strikes.line}`,
      `Executions: ${textOf(ends)}, with ${visits.length} visits; ${answers.answered.size} contacts answered`,
      `Mails: ${textOf(outcomes)}; at the mail server ${sink.length}`,
      `Webhook calls: ${ids}, and ${again} once more (${takenAgain(received)} after they were taken); responses ${textOf(responses)}; ${replayed} replayed`,
      `Counters were compared ${looks} times`,
    ],
    figures: {
      ...{ executions: executions.length, visits: visits.length, mails: mails.length, messages: sink.length },
      ...{ calls: ids, again, replayed, strikes: strikes.done.length, missed: strikes.missed },
      ...{ ends, outcomes, givenUp: evidence.givenUp },
    },
  };
}

/** Calls whose process ended before it had written down the response. */
function takenAgain(received: readonly ReceivedCall[]): number {
  const taken = Map.groupBy(
    received.filter(({ status }) => status === 200),
    ({ id }) => id,
  );
  return [...taken.values()].reduce((sum, { length }) => sum + length - 1, 0);
}

function countedBy<Item>(items: readonly Item[], nameOf: (item: Item) => string): Record<string, number> {
  const groups = [...Map.groupBy(items, nameOf)].map(([name, each]) => [name, each.length] as const);
  return Object.fromEntries(groups.toSorted());
}

const textOf = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(' · ');
