import type { Lock } from '../../faults/lock-trap.js';
import { readSinkLedger } from '../../judging/ledger.js';
import { workLeft, type WorkCount } from '../../judging/work-books.js';
import { untilQuiet } from '../../product.js';
import { judgeCounts } from '../../judging/finding.js';
import { CountsWatch, judgeRest, unfinishedOf } from '../rest.js';
import { ServiceStrikes, type Deck, type Target } from '../service-strikes.js';
import {
  countedBy,
  countsText,
  reportedLater,
  runSuite,
  type Stage,
  type SuiteOptions,
  type Verdict,
} from '../suite.js';
import { Tenant } from '../tenant.js';
import { judgeWorkflows, type WorkflowsEvidence } from './judge-workflows.js';
import { paths, WebhookReceiver, type ReceivedCall } from './webhook-receiver.js';
import { AnswerWatch, startAll } from './workflow-events.js';
import { fieldsOf, graphFor, participantsOf, startEvent, type Participant } from './workflow-graph.js';
import { openOnes, replayLate, workflowCountsSql, writtenDown } from './workflow-records.js';

const replicas = { sending: 2, contacts: 2, analytics: 1, campaigns: 1, workflows: 2, gateway: 2 };
const environment = {
  // What is unknown is held, and ends soon.
  AMBIGUOUS_MARKETING_SECONDS: '4',
  WORK_LEASE_SECONDS: '5',
  WEBHOOK_ALLOW_PRIVATE: 'true',
};
const settleSeconds = 600;

interface Act {
  stage: Stage;
  tenant: Tenant;
  receiver: WebhookReceiver;
  participants: readonly Participant[];
  built: Built;
  strikes: ServiceStrikes<State>;
  counts: CountsWatch;
  answers: AnswerWatch;
  replayed: number;
}

/** Executions of one workflow with mails, waits, timers and webhooks, while processes and servers are struck and the webhooks' receiver fails now and then. */
export const runWorkflows = (options: SuiteOptions): Promise<boolean> =>
  runSuite(options, { name: 'workflows', replicas, environment }, async (stage) => {
    const tenant = await Tenant.create(stage, 'workflows');
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
  const strikes = new ServiceStrikes(stage, target);
  const counts = new CountsWatch(tenant, 'workflows', workflowCountsSql);
  const answers = new AnswerWatch(answering, stage.fixture.sinkLedger, built, participants);
  return { stage, tenant, receiver, participants, built, strikes, counts, answers, replayed: 0 };
}

async function attack({ stage, tenant, participants, strikes }: Act): Promise<void> {
  const { faults } = stage.options;
  const progress = () => (strikes.done.length + strikes.missed + 2) / faults;
  const started = reportedLater(startAll(tenant, participants, progress));
  await strikes.run(faults);
  await started;
}

/** Each is 0 in the end. */
async function leftOf(act: Act): Promise<Record<string, number>> {
  act.replayed += await replayLate(act.tenant, act.built);
  return { ...(await openOnes(act.tenant)), ...(await unfinished(act)) };
}

/** There are more e-mails than contacts here, so that none can be missing for them. */
async function unfinished({ tenant }: Act): Promise<Record<string, number>> {
  const { missingContacts: _, ...rest } = await unfinishedOf(tenant);
  return rest;
}

async function judge(act: Act): Promise<Verdict> {
  const { stage, tenant, strikes, counts } = act;
  const looks = await counts.stop();
  const { queues, counts: left } = await workLeft(tenant.records);
  const evidence = await gather(act, left.filter(isGivenUpWork));
  const { lines, figures } = told(act, evidence, looks.length);
  const rest = {
    stage,
    tenant,
    unfinished: await unfinished(act),
    strikes: strikes.done.length,
    work: { queues, counts: left.filter((count) => !isGivenUpWork(count)) },
  };
  return {
    lines,
    figures,
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
  const written = await writtenDown(tenant, built);
  return {
    ...written,
    participants,
    received: receiver.calls,
    strikes: strikes.done,
    sink: readSinkLedger(stage.fixture.sinkLedger),
    givenUp: givenUp.reduce((sum, { items }) => sum + items, 0),
    endedAt: written.executions.reduce((last, { endedAt }) => Math.max(last, endedAt ?? 0), 0),
    wantedStrikes: strikes.wanted,
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
      strikes.line,
      `Executions: ${countsText(Object.entries(ends))}, with ${visits.length} visits; ${answers.answered.size} contacts answered`,
      `Mails: ${countsText(Object.entries(outcomes))}; at the mail server ${sink.length}`,
      `Webhook calls: ${ids}, and ${again} once more (${takenAgain(received)} after they were taken); responses ${countsText(Object.entries(responses))}; ${replayed} replayed`,
      `Counters were compared ${looks} times`,
    ],
    figures: {
      executions: executions.length,
      visits: visits.length,
      mails: mails.length,
      messages: sink.length,
      calls: ids,
      again,
      replayed,
      strikes: strikes.done.length,
      missed: strikes.missed,
      ends,
      outcomes,
      givenUp: evidence.givenUp,
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

export interface Built {
  workflowId: string;
  webhookId: string;
  /** Of steps, by name. */
  stepIds: ReadonlyMap<string, string>;
}

/** Contacts, an enabled workflow that an event starts, and a subscription to what becomes of it. */
async function build(
  tenant: Tenant,
  receiver: WebhookReceiver,
  participants: readonly Participant[],
): Promise<Built> {
  await tenant.makeContacts(
    participants.map((participant) => ({
      email: participant.email,
      subscribed: true,
      custom_fields: fieldsOf(participant),
    })),
  );
  const { id: webhookId } = await tenant.surely('POST', '/api/v1/webhooks', {
    url: receiver.url(paths.events),
    event_types: ['email.sent', 'workflow.completed', 'workflow.failed'],
  });
  const { id: workflowId } = await tenant.surely('POST', '/api/v1/workflows', {
    name: 'Welcome',
    trigger_type: 'EVENT',
    event_name: startEvent,
  });
  const path = `/api/v1/workflows/${workflowId as string}`;
  const graph = graphFor(receiver.url(paths.step));
  await tenant.surely('PUT', `${path}/graph`, graph.body);
  await tenant.surely('POST', `${path}/resume`);
  return { workflowId: workflowId as string, webhookId: webhookId as string, stepIds: graph.ids };
}

/** What workflows may be at when it dies (docs/decisions/0030-workflows.md, docs/decisions/0031-webhooks.md), each held open where its next statement waits for a lock. */
const locks = {
  'start before its commit': { table: 'workflow_entries', statement: '%INSERT INTO workflow_entries (%' },
  'event before its commit': { table: 'awaited_events', statement: '%INSERT INTO awaited_events (%' },
  'wait before its commit': { table: 'execution_waits', statement: '%INSERT INTO execution_waits (%' },
  // The first turn of a visit commits its position, the next one what came of its effect.
  'turn before its commit': { table: 'execution_steps', statement: '%INSERT INTO execution_steps (%' },
  'response before its commit': { table: 'calls', statement: '%UPDATE calls c SET attempts%' },
} as const satisfies Record<string, Lock>;
type State = keyof typeof locks;

/** While executions start. */
const early: Deck<State> = [
  ['kill workflows', 'start before its commit', 3],
  ['kill workflows', 'event before its commit', 2],
  ['kill workflows', 'wait before its commit', 2],
  ['kill workflows', 'turn before its commit', 4],
  ['kill workflows', 'response before its commit', 4],
  ['kill workflows', null, 1],
  ['kill sending', null, 2],
  ['kill contacts', null, 2],
  ['kill gateway', null, 1],
  ['stop workflows', null, 1],
  ['stop sending', null, 1],
  ['crash postgres', null, 2],
  ['wipe nats', null, 1],
  ['kill nats', null, 1],
];
const late: Deck<State> = [
  ['kill workflows', 'start before its commit', 1],
  ['kill workflows', 'event before its commit', 2],
  ['kill workflows', 'wait before its commit', 2],
  ['kill workflows', 'turn before its commit', 4],
  ['kill workflows', 'response before its commit', 6],
  ['kill workflows', null, 2],
  ['kill sending', null, 2],
  ['kill contacts', null, 1],
  ['kill gateway', null, 1],
  ['stop workflows', null, 1],
  ['stop contacts', null, 1],
  ['crash postgres', null, 2],
  ['wipe nats', null, 2],
];
const target: Target<State> = { service: 'workflows', locks, decks: [early, late] };
