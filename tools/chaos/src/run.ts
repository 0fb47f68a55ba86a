import { performance } from 'node:perf_hooks';
import { join } from 'node:path';
import { Clients } from './client.js';
import type { Evidence } from './evidence.js';
import { deckOf, states, type Fault } from './faults.js';
import type { Books } from './books.js';
import type { Fleet } from './fleet.js';
import { Ground } from './ground.js';
import { judge } from './judge.js';
import { Ledger, beliefOf } from './ledger.js';
import { Nemesis } from './nemesis.js';
import { chaosProject, leaseSeconds, skewedFleet, untilQuiet } from './product.js';
import { Random } from './random.js';
import type { Load } from './loads/load.js';
import { slowAfter, slowBefore, type Wanted } from './recipients.js';
import { report } from './report.js';
import { emailIdOf, readSinkBytes, readSinkLedger } from './sink-ledger.js';
import { workLeft, workLine } from './work-books.js';
import { Traps, type Taken } from './traps.js';

export interface ChaosOptions {
  directory: string;
  sends: number;
  faults: number;
  seed: number;
  ratePerSecond: number;
  load: Load;
}

/** As fast as it goes; the relay is only ever caught while facts keep coming. */
const burst = { atOnce: 12, restMs: 0 };
const trickle = { atOnce: 3, restMs: 40 };
const slowOnes = 24;
const settleSeconds = 120;
const saysEvery = 10;
const wantedHits = 5;

/** One run: load and faults together, then quiet, then the judgement. Answers whether everything held. */
export async function runChaos(options: ChaosOptions): Promise<boolean> {
  const began = performance.now();
  const ground = await Ground.start(options.directory, options.load);
  const fleet = skewedFleet(ground, options);
  const ledger = new Ledger(join(options.directory, 'calls.jsonl'));
  try {
    await fleet.start({ sending: 2, contacts: 1, analytics: 1, campaigns: 1, workflows: 1, gateway: 2 });
    const { token, books } = await chaosProject(ground);
    const clients = new Clients(fleet.gateways, token, ledger, options);
    await options.load.prepare(clients.ask);
    const nemesis = new Nemesis(
      fleet,
      ground,
      new Traps(
        () => books.urlOf('sending'),
        () => takenAt(ground),
      ),
      books,
      { ...options, leaseSeconds },
    );
    await attack(options, clients, nemesis);
    await clients.drained();
    await fleet.untilAllReady();
    await untilQuiet(() => books.unfinished(), settleSeconds);
    return verdict(options, (performance.now() - began) / 1_000, nemesis, await gather({ ground, fleet, books, ledger, nemesis, options }));
  } finally {
    await fleet.stop();
    await ground.stop();
    ledger.close();
  }
}

const takenAt = ({ sinkLedger }: Ground): Taken[] =>
  readSinkLedger(sinkLedger).map((line) => ({ emailId: emailIdOf(line), receivedAt: line.receivedAt }));

/** With every fault comes its share of the sends, so that faults meet traffic and the same seed meets the same. */
async function attack({ sends, faults, seed, load: kind }: ChaosOptions, clients: Clients, nemesis: Nemesis): Promise<void> {
  const random = new Random(seed);
  const deck = deckOf(faults, new Random(seed + 2));
  const load: Promise<void>[] = [];
  let place = 0;
  for (const [index, fault] of deck.entries()) {
    const share = Math.round(((index + 1) * sends) / faults) - place;
    const batch = batchFor(kind, fault, place, share, random);
    place += share;
    load.push(clients.send(batch, fault.at === 'relay between publish and mark' ? trickle : burst));
    await nemesis.strike(fault);
    if ((index + 1) % saysEvery === 0) console.log(`${index + 1} of ${faults} faults, ${place} of ${sends} sends`);
  }
  await Promise.all(load);
}

function batchFor(load: Load, { at }: Fault, first: number, count: number, random: Random): Wanted[] {
  const slow =
    at === 'HANDOFF after the last byte' ? slowAfter : at === 'HANDOFF before the last byte' || at === 'CLAIMED' ? slowBefore : null;
  return Array.from({ length: count }, (_, offset) => load.wanted(first + offset, random, slow && offset < slowOnes ? slow : undefined));
}

interface Witnesses {
  ground: Ground;
  fleet: Fleet;
  books: Books;
  ledger: Ledger;
  nemesis: Nemesis;
  options: ChaosOptions;
}

async function gather({ ground, fleet, books, ledger, nemesis, options }: Witnesses): Promise<Evidence> {
  const [emails, events, contacts, totals, unfinished, deadLetters, work] = await Promise.all([
    books.emails(),
    books.events(),
    books.contacts(),
    books.totals(),
    books.unfinished(),
    books.deadLetters(),
    workLeft(books),
  ]);
  return {
    sends: ledger.sends,
    sink: readSinkLedger(ground.sinkLedger),
    bytes: readSinkBytes(ground.sinkLedger),
    emails,
    events,
    contacts: contacts.map(({ email }) => email),
    totals,
    unfinished,
    deadLetters,
    work,
    doubted: nemesis.doubted,
    strikes: nemesis.strikesMade,
    outages: ground.outages,
    goodbyes: fleet.goodbyes,
    badExits: fleet.badExits,
    ratePerSecond: options.ratePerSecond,
  };
}

async function verdict(
  { sends, seed, faults, load }: ChaosOptions,
  seconds: number,
  nemesis: Nemesis,
  evidence: Evidence,
): Promise<boolean> {
  const beliefs = evidence.sends.map((send) => beliefOf(send).kind);
  console.log(`Work left: ${workLine(evidence.work)}`);
  const copies = Map.groupBy(evidence.sink, ({ messageId }) => messageId);
  const repeats = [...copies.values()].reduce((sum, { length }) => sum + length - 1, 0);
  const enoughFaults = faults >= states.length * wantedHits * 1.5;
  return report(
    {
      sends,
      seed,
      seconds: Math.round(seconds),
      answers: Object.fromEntries(['accepted', 'refused', 'unknown'].map((kind) => [kind, beliefs.filter((each) => each === kind).length])),
      copies: evidence.sink.length,
      repeats,
      doubted: evidence.doubted.size,
      hits: nemesis.hits,
      struck: nemesis.struck,
      missed: nemesis.missed,
      wantedHits: enoughFaults ? wantedHits : 0,
    },
    [...judge(evidence), ...(await load.judge(evidence))],
  );
}
