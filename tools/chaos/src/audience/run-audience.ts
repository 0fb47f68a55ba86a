import { join } from 'node:path';
import { GatewayCalls } from '../gateway-calls.js';
import type { Records } from '../judging/records.js';
import { workLeft, workLine } from '../judging/work-books.js';
import { chaosProject, untilQuiet } from '../product.js';
import { Random } from '../random.js';
import {
  countsText,
  judgeHits,
  runSuite,
  type Stage,
  type SuiteOptions,
  type Verdict,
} from '../suites/suite.js';
import { inTurns } from '../suites/tenant.js';
import { AudienceClient, type Positions } from './audience-client.js';
import { AudienceFaults, audiencePlan, operationsFor } from './audience-faults.js';
import { AudienceRecords, remembered } from './audience-records.js';
import { judgeAudience, type AudienceEvidence } from './judge-audience.js';
import {
  movedCondition,
  movingSegments,
  operationAt,
  readerOf,
  readers,
  steadyConditions,
  type Action,
  type OperationKind,
} from './operations.js';

const replicas = { sending: 1, contacts: 2, analytics: 1, campaigns: 1, workflows: 1, gateway: 2 };
const atOnce = 10;
const settleSeconds = 240;
const reportsEvery = 5;
const wantedHits = 3;
/** So many faults hit each state so often. */
const enoughFaults = 45;
/** What brings a state about goes on while it is waited for. */
const baits: Partial<Record<OperationKind, number>> = { recount: 20, upsert: 20, farewell: 8 };

/** The product's audience under faults: load and faults together, then quiet, then the judgement. */
export const runAudience = (options: SuiteOptions): Promise<boolean> =>
  runSuite(options, { name: 'audience', replicas }, async (stage) => {
    const { fixture, processes } = stage;
    const { projectId, token, records } = await chaosProject(fixture);
    const calls = new GatewayCalls(processes.gateways, token);
    const client = new AudienceClient(calls, options.seed, join(options.directory, 'calls.jsonl'));
    const faults = new AudienceFaults(stage, records.urlOf('contacts'));
    await attack(options, client, await prepare(client, options.seed), faults);
    await processes.untilAllReady();
    const audience = new AudienceRecords(records, projectId);
    await untilQuiet(() => audience.unfinished(), settleSeconds);
    const evidence = await gather(audience, records, client, { projectId, ...options });
    client.close();
    return verdict(stage, faults, evidence);
  });

/** Lists, readers and segments, before anything is struck and while nobody is there: entries of all are told. */
async function prepare(client: AudienceClient, seed: number): Promise<Positions> {
  const random = new Random(seed + 1);
  const openList = await client.make('/api/v1/lists', { name: 'Open' });
  const doubleList = await client.make('/api/v1/lists', { name: 'Double', double_opt_in: true });
  const make = (name: string, condition: object) =>
    client.make('/api/v1/segments', { name, type: 'DYNAMIC', track_membership: true, condition });
  const steady: string[] = [];
  for (const [index, conditionOf] of steadyConditions.entries())
    steady.push(await make(`Steady ${index}`, conditionOf([openList, doubleList], steady)));
  const moving: string[] = [];
  for (let index = 0; index < movingSegments; index += 1)
    moving.push(await make(`Moving ${index}`, movedCondition(random)));
  await client.make('/api/v1/contacts/bulk', {
    contacts: Array.from({ length: readers }, (_, number) => ({ email: readerOf(number) })),
  });
  return { openList, doubleList, moving };
}

/** With every fault comes its share of the deeds, led by those that bring its state about. */
async function attack(
  { sends, faults, seed }: SuiteOptions,
  client: AudienceClient,
  positions: Positions,
  injector: AudienceFaults,
): Promise<void> {
  const random = new Random(seed);
  const plan = audiencePlan(faults, new Random(seed + 2));
  const running: Promise<void>[] = [];
  let position = 0;
  for (const [index, fault] of plan.entries()) {
    const end = Math.round(((index + 1) * sends) / faults);
    const bait = fault.at ? operationsFor[fault.at] : null;
    const led = bait ? (baits[bait] ?? 1) : 0;
    const actions: Action[] = [];
    for (const first = position; position < end; position += 1)
      actions.push(operationAt(position, random, bait && position < first + led ? bait : undefined));
    running.push(inTurns(actions, atOnce, (action) => client.do(action, positions)));
    await injector.inject(fault);
    if ((index + 1) % reportsEvery === 0)
      console.log(`${index + 1} of ${faults} faults, ${position} of ${sends} deeds`);
  }
  await Promise.all(running);
}

async function gather(
  audience: AudienceRecords,
  records: Records,
  client: AudienceClient,
  { directory, projectId }: SuiteOptions & { projectId: string },
): Promise<AudienceEvidence> {
  const { published } = client;
  const marked = new Map<string, number>();
  for (const { table } of published.imports) marked.set(table.marker, await audience.markedBy(table.marker));
  return {
    told: published,
    marked,
    lostFields: await audience.lostFields(published.fields),
    imports: await audience.imports(),
    events: await audience.events(published.events.map(({ place: index }) => index)),
    memberships: await audience.memberships(),
    contactIds: await audience.contactIds(),
    delivered: await audience.delivered(),
    differences: await audience.differences(),
    strayMembers: await audience.strayMembers(),
    remains: [
      ...(await audience.remains()),
      ...(await remembered(records, projectId, published.gone.length, join(directory, 'nats'))),
    ],
    passages: await audience.transitions(),
    deadLetters: await records.deadLetters(),
    work: await workLeft(records),
    unfinished: await audience.unfinished(),
  };
}

function verdict(
  { options, processes }: Stage,
  { hits, injected, missed }: AudienceFaults,
  evidence: AudienceEvidence,
): Verdict {
  const { contactIds, imports, memberships, passages, work, told } = evidence;
  const least = options.faults >= enoughFaults ? wantedHits : 0;
  return {
    lines: [
      `Faults by the state that they hit: ${countsText(Object.entries(hits))} · missed ${missed}`,
      `Faults by weapon: ${countsText(injected)}`,
      `Deeds done: ${countsText(told.done)}`,
      `In the end: ${contactIds.size} contacts, ${imports.length} imports, ${memberships.size} memberships, ${passages.length} passages`,
      `Work left: ${workLine(work)}`,
    ],
    figures: {
      sends: options.sends,
      faults: options.faults,
      hits,
      missed,
      badExits: processes.badExits.length,
    },
    findings: [...judgeAudience(evidence), judgeHits(hits, least)],
  };
}
