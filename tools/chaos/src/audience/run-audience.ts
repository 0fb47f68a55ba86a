import { performance } from 'node:perf_hooks';
import { join } from 'node:path';
import type { Books } from '../books.js';
import type { Fleet } from '../fleet.js';
import { GatewayCalls } from '../gateway-calls.js';
import { Ground } from '../ground.js';
import { chaosProject, skewedFleet, untilQuiet } from '../product.js';
import { Random } from '../random.js';
import { printFindings } from '../report.js';
import { workLeft, workLine } from '../work-books.js';
import { AudienceBooks } from './audience-books.js';
import { AudienceClient, type Places } from './audience-client.js';
import { AudienceNemesis } from './audience-nemesis.js';
import { movedCondition, movingSegments, steadyConditions } from './conditions.js';
import { deedAt, readerOf, readers, type Deed, type DeedKind } from './deeds.js';
import { audienceDeck, audienceStates, deedsFor } from './faults.js';
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
const saysEvery = 5;
const wantedHits = 3;
/** So many faults hit each state so often. */
const enoughFaults = 45;
/** What brings a state about goes on while it is waited for. */
const baits: Partial<Record<DeedKind, number>> = { recount: 20, upsert: 20, farewell: 8 };

/** The product's audience under faults: load and faults together, then quiet, then the judgement. Answers whether everything held. */
export async function runAudience(options: AudienceOptions): Promise<boolean> {
  const began = performance.now();
  const ground = await Ground.start(options.directory, { keepsBytes: false });
  const fleet = skewedFleet(ground, options);
  try {
    await fleet.start({ sending: 1, contacts: 2, analytics: 1, campaigns: 1, workflows: 1, gateway: 2 });
    const { projectId, token, books } = await chaosProject(ground);
    const client = new AudienceClient(new GatewayCalls(fleet.gateways, token), options.seed, join(options.directory, 'calls.jsonl'));
    const nemesis = new AudienceNemesis(fleet, ground, () => books.urlOf('contacts'), options.directory);
    await attack(options, client, await prepare(client, options.seed), nemesis);
    await fleet.untilAllReady();
    const audience = new AudienceBooks(books, projectId);
    await untilQuiet(() => audience.unfinished(), settleSeconds);
    const evidence = await gather(audience, books, client, { projectId, ...options });
    client.close();
    return report(options, (performance.now() - began) / 1_000, nemesis, evidence, fleet);
  } finally {
    await fleet.stop();
    await ground.stop();
  }
}

/** Lists, readers and segments, before anything is struck and while nobody is there: entries of all are told. */
async function prepare(client: AudienceClient, seed: number): Promise<Places> {
  const random = new Random(seed + 1);
  const openList = await client.make('/api/v1/lists', { name: 'Open' });
  const doubleList = await client.make('/api/v1/lists', { name: 'Double', double_opt_in: true });
  const make = (name: string, condition: object) =>
    client.make('/api/v1/segments', { name, type: 'DYNAMIC', track_membership: true, condition });
  const steady: string[] = [];
  for (const [index, conditionOf] of steadyConditions.entries())
    steady.push(await make(`Steady ${index}`, conditionOf([openList, doubleList], steady)));
  const moving: string[] = [];
  for (let index = 0; index < movingSegments; index += 1) moving.push(await make(`Moving ${index}`, movedCondition(random)));
  await client.make('/api/v1/contacts/bulk', {
    contacts: Array.from({ length: readers }, (_, number) => ({ email: readerOf(number) })),
  });
  return { openList, doubleList, moving };
}

/** With every fault comes its share of the deeds, led by those that bring its state about. */
async function attack(
  { sends, faults, seed }: AudienceOptions,
  client: AudienceClient,
  places: Places,
  nemesis: AudienceNemesis,
): Promise<void> {
  const random = new Random(seed);
  const deck = audienceDeck(faults, new Random(seed + 2));
  const running: Promise<void>[] = [];
  let place = 0;
  for (const [index, fault] of deck.entries()) {
    const end = Math.round(((index + 1) * sends) / faults);
    const bait = fault.at ? deedsFor[fault.at] : null;
    const led = bait ? (baits[bait] ?? 1) : 0;
    const deeds: Deed[] = [];
    for (const first = place; place < end; place += 1) deeds.push(deedAt(place, random, bait && place < first + led ? bait : undefined));
    running.push(inTurns(client, deeds, places));
    await nemesis.strike(fault);
    if ((index + 1) % saysEvery === 0) console.log(`${index + 1} of ${faults} faults, ${place} of ${sends} deeds`);
  }
  await Promise.all(running);
}

async function inTurns(client: AudienceClient, deeds: Deed[], places: Places): Promise<void> {
  const worker = async () => {
    for (let next = deeds.shift(); next; next = deeds.shift()) await client.do(next, places);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function gather(
  audience: AudienceBooks,
  books: Books,
  client: AudienceClient,
  { directory, projectId }: AudienceOptions & { projectId: string },
): Promise<AudienceEvidence> {
  const { told } = client;
  const marked = new Map<string, number>();
  for (const { table } of told.imports) marked.set(table.marker, await audience.markedBy(table.marker));
  return {
    told,
    marked,
    lostFields: await audience.lostFields(told.fields),
    imports: await audience.imports(),
    events: await audience.events(told.events.map(({ place }) => place)),
    memberships: await audience.memberships(),
    contactIds: await audience.contactIds(),
    delivered: await audience.delivered(),
    differences: await audience.differences(),
    strayMembers: await audience.strayMembers(),
    remains: [...(await audience.remains()), ...(await remembered(books, projectId, told.gone.length, join(directory, 'nats')))],
    passages: await audience.passages(),
    deadLetters: await books.deadLetters(),
    work: await workLeft(books),
    unfinished: await audience.unfinished(),
  };
}

function report(
  { sends, seed, faults }: AudienceOptions,
  seconds: number,
  { hits, struck, missed }: AudienceNemesis,
  evidence: AudienceEvidence,
  { badExits }: Fleet,
): boolean {
  const least = faults >= enoughFaults ? wantedHits : 0;
  console.log(`\nFaults by the state that they hit (each at least ${least}):`);
  for (const state of audienceStates)
    console.log(`  ${state.padEnd(42)} ${String(hits[state]).padStart(4)}${hits[state] < least ? '   too few' : ''}`);
  console.log(
    `Faults by weapon:\n  ${[...struck].map(([weapon, count]) => `${weapon} ${count}`).join(' · ')}${missed ? ` · missed ${missed}` : ''}`,
  );
  console.log(`Deeds done: ${[...evidence.told.done].map(([kind, count]) => `${kind} ${count}`).join(' · ')}`);
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
