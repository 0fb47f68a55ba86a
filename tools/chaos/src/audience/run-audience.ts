import { performance } from 'node:perf_hooks';
import { join } from 'node:path';
import type { Records } from '../judging/records.js';
import type { ProcessGroup } from '../process-group.js';
import { GatewayCalls } from '../gateway-calls.js';
import { Fixture } from '../fixture.js';
import { chaosProject, skewedProcesses, untilQuiet } from '../product.js';
import { Random } from '../random.js';
import { printFindings } from '../judging/report.js';
import { workLeft, workLine } from '../judging/work-books.js';
import { AudienceRecords } from './audience-records.js';
import { AudienceClient, type Positions } from './audience-client.js';
import { AudienceFaultInjector } from './audience-fault-injector.js';
import { movedCondition, movingSegments, steadyConditions } from './conditions.js';
import { operationAt, readerOf, readers, type Action, type OperationKind } from './operations.js';
import { audiencePlan, audienceStates, operationsFor } from './faults.js';
import { remembered } from './forgotten.js';
import { judgeAudience, type AudienceEvidence } from './judge-audience.js';

export interface AudienceOptions {
  directory: string;
  /** Deeds of the audience. */
  sends: number;
  faults: number;
  seed: number;
  ratePerSecond: number;
}

const atOnce = 10;
const settleSeconds = 240;
const reportsEvery = 5;
const wantedHits = 3;
/** So many faults hit each state so often. */
const enoughFaults = 45;
/** What brings a state about goes on while it is waited for. */
const baits: Partial<Record<OperationKind, number>> = { recount: 20, upsert: 20, farewell: 8 };

/** The product's audience under faults: load and faults together, then quiet, then the judgement. Returns whether everything held. */
export async function runAudience(options: AudienceOptions): Promise<boolean> {
  const began = performance.now();
  const fixture = await Fixture.start(options.directory, { keepsBytes: false });
  const processes = skewedProcesses(fixture, options);
  try {
    await processes.start({ sending: 1, contacts: 2, analytics: 1, campaigns: 1, workflows: 1, gateway: 2 });
    const { projectId, token, records } = await chaosProject(fixture);
    const client = new AudienceClient(
      new GatewayCalls(processes.gateways, token),
      options.seed,
      join(options.directory, 'calls.jsonl'),
    );
    const faultInjector = new AudienceFaultInjector(
      processes,
      fixture,
      () => records.urlOf('contacts'),
      options.directory,
    );
    await attack(options, client, await prepare(client, options.seed), faultInjector);
    await processes.untilAllReady();
    const audience = new AudienceRecords(records, projectId);
    await untilQuiet(() => audience.unfinished(), settleSeconds);
    const evidence = await gather(audience, records, client, { projectId, ...options });
    client.close();
    return report(options, (performance.now() - began) / 1_000, faultInjector, evidence, processes);
  } finally {
    await processes.stop();
    await fixture.stop();
  }
}

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
  { sends, faults, seed }: AudienceOptions,
  client: AudienceClient,
  positions: Positions,
  faultInjector: AudienceFaultInjector,
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
    running.push(inTurns(client, actions, positions));
    await faultInjector.inject(fault);
    if ((index + 1) % reportsEvery === 0)
      console.log(`${index + 1} of ${faults} faults, ${position} of ${sends} deeds`);
  }
  await Promise.all(running);
}

async function inTurns(client: AudienceClient, actions: Action[], positions: Positions): Promise<void> {
  const worker = async () => {
    for (let next = actions.shift(); next; next = actions.shift()) await client.do(next, positions);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function gather(
  audience: AudienceRecords,
  records: Records,
  client: AudienceClient,
  { directory, projectId }: AudienceOptions & { projectId: string },
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

function report(
  { sends, seed, faults }: AudienceOptions,
  seconds: number,
  { hits, injected, missed }: AudienceFaultInjector,
  evidence: AudienceEvidence,
  { badExits }: ProcessGroup,
): boolean {
  const least = faults >= enoughFaults ? wantedHits : 0;
  console.log(`\nFaults by the state that they hit (each at least ${least}):`);
  for (const state of audienceStates)
    console.log(
      `  ${state.padEnd(42)} ${String(hits[state]).padStart(4)}${hits[state] < least ? '   too few' : ''}`,
    );
  console.log(
    `Faults by weapon:\n  ${[...injected].map(([fault, count]) => `${fault} ${count}`).join(' · ')}${missed ? ` · missed ${missed}` : ''}`,
  );
  console.log(
    `Deeds done: ${[...evidence.told.done].map(([kind, count]) => `${kind} ${count}`).join(' · ')}`,
  );
  console.log(
    `In the end: ${evidence.contactIds.size} contacts, ${evidence.imports.length} imports, ${evidence.memberships.size} memberships, ${evidence.passages.length} passages`,
  );
  console.log(`Work left: ${workLine(evidence.work)}`);
  const { held, broken } = printFindings(judgeAudience(evidence));
  const enough = audienceStates.every((state) => hits[state] >= least);
  const figures = { suite: 'audience', sends, seed, seconds: Math.round(seconds), faults, hits, missed };
  console.log(`\nCHAOS ${JSON.stringify({ ...figures, held, enough, broken, badExits: badExits.length })}`);
  return held && enough;
}
