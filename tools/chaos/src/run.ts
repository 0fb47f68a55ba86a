import { performance } from 'node:perf_hooks';
import { join } from 'node:path';
import { Clients } from './client.js';
import type { Evidence } from './judging/evidence.js';
import { planOf, states, type Fault } from './faults/faults.js';
import type { Records } from './judging/records.js';
import type { ProcessGroup } from './process-group.js';
import { Fixture } from './fixture.js';
import { judge } from './judging/judge.js';
import { Ledger, knowledgeOf } from './judging/ledger.js';
import { FaultInjector } from './faults/fault-injector.js';
import { chaosProject, leaseSeconds, skewedProcesses, untilQuiet } from './product.js';
import { Random } from './random.js';
import type { Load } from './loads/load.js';
import { slowAfter, slowBefore, type Wanted } from './recipients.js';
import { report } from './judging/report.js';
import { StallWatch } from './judging/stall-watch.js';
import { emailIdOf, readSinkBytes, readSinkLedger } from './judging/sink-ledger.js';
import { workLeft, workLine } from './judging/work-books.js';
import { Traps, type Taken } from './faults/traps.js';

export interface ChaosOptions {
  directory: string;
  sends: number;
  faults: number;
  seed: number;
  ratePerSecond: number;
  load: Load;
}

/** As fast as it goes; the relay is only ever caught while events keep coming. */
const burst = { atOnce: 12, restMs: 0 };
const trickle = { atOnce: 3, restMs: 40 };
const slowOnes = 24;
const settleSeconds = 120;
const reportsEvery = 10;
const wantedHits = 5;

/** One run: load and faults together, then quiet, then the judgement. Returns whether everything held. */
export async function runChaos(options: ChaosOptions): Promise<boolean> {
  const began = performance.now();
  const fixture = await Fixture.start(options.directory, options.load);
  const processes = skewedProcesses(fixture, options);
  const ledger = new Ledger(join(options.directory, 'calls.jsonl'));
  const stallWatch = new StallWatch();
  try {
    await processes.start({ sending: 2, contacts: 1, analytics: 1, campaigns: 1, workflows: 1, gateway: 2 });
    const { token, records } = await chaosProject(fixture);
    const clients = new Clients(processes.gateways, token, ledger, options);
    await options.load.prepare(clients.request);
    const faultInjector = new FaultInjector(
      processes,
      fixture,
      new Traps(
        () => records.urlOf('sending'),
        () => takenAt(fixture),
      ),
      records,
      { ...options, leaseSeconds },
    );
    await attack(options, clients, faultInjector);
    await clients.drained();
    await processes.untilAllReady();
    await untilQuiet(() => records.unfinished(), settleSeconds);
    return verdict(
      options,
      (performance.now() - began) / 1_000,
      faultInjector,
      await gather({ fixture, processes, records, ledger, faultInjector, stallWatch, options }),
    );
  } finally {
    stallWatch.stop();
    await processes.stop();
    await fixture.stop();
    ledger.close();
  }
}

const takenAt = ({ sinkLedger }: Fixture): Taken[] =>
  readSinkLedger(sinkLedger).map((line) => ({ emailId: emailIdOf(line), receivedAt: line.receivedAt }));

/** With every fault comes its share of the sends, so that faults meet traffic and the same seed meets the same. */
async function attack(
  { sends, faults, seed, load: kind }: ChaosOptions,
  clients: Clients,
  faultInjector: FaultInjector,
): Promise<void> {
  const random = new Random(seed);
  const plan = planOf(faults, new Random(seed + 2));
  const load: Promise<void>[] = [];
  let position = 0;
  for (const [index, fault] of plan.entries()) {
    const share = Math.round(((index + 1) * sends) / faults) - position;
    const batch = batchFor(kind, fault, position, share, random);
    position += share;
    load.push(clients.send(batch, fault.at === 'relay between publish and mark' ? trickle : burst));
    await faultInjector.inject(fault);
    if ((index + 1) % reportsEvery === 0)
      console.log(`${index + 1} of ${faults} faults, ${position} of ${sends} sends`);
  }
  await Promise.all(load);
}

function batchFor(load: Load, { at }: Fault, first: number, count: number, random: Random): Wanted[] {
  const slow =
    at === 'HANDOFF after the last byte'
      ? slowAfter
      : at === 'HANDOFF before the last byte' || at === 'CLAIMED'
        ? slowBefore
        : null;
  return Array.from({ length: count }, (_, offset) =>
    load.wanted(first + offset, random, slow && offset < slowOnes ? slow : undefined),
  );
}

interface Witnesses {
  fixture: Fixture;
  processes: ProcessGroup;
  records: Records;
  ledger: Ledger;
  faultInjector: FaultInjector;
  stallWatch: StallWatch;
  options: ChaosOptions;
}

async function gather({
  fixture: fixture,
  processes: processes,
  records: records,
  ledger,
  faultInjector: nemesis,
  stallWatch,
  options,
}: Witnesses): Promise<Evidence> {
  const [emails, events, contacts, totals, unfinished, deadLetters, work] = await Promise.all([
    records.emails(),
    records.events(),
    records.contacts(),
    records.totals(),
    records.unfinished(),
    records.deadLetters(),
    workLeft(records),
  ]);
  return {
    sends: ledger.sends,
    sink: readSinkLedger(fixture.sinkLedger),
    bytes: readSinkBytes(fixture.sinkLedger),
    emails,
    events,
    contacts: contacts.map(({ email }) => email),
    totals,
    unfinished,
    deadLetters,
    work,
    doubted: nemesis.suspected,
    strikes: nemesis.injectedFaults,
    outages: fixture.outages,
    stalls: stallWatch.stalls,
    goodbyes: processes.unsubscribes,
    badExits: processes.badExits,
    ratePerSecond: options.ratePerSecond,
  };
}

async function verdict(
  { sends, seed, faults, load }: ChaosOptions,
  seconds: number,
  faultInjector: FaultInjector,
  evidence: Evidence,
): Promise<boolean> {
  const beliefs = evidence.sends.map((send) => knowledgeOf(send).kind);
  console.log(`Work left: ${workLine(evidence.work)}`);
  const copies = Map.groupBy(evidence.sink, ({ messageId }) => messageId);
  const repeats = [...copies.values()].reduce((sum, { length }) => sum + length - 1, 0);
  const enoughFaults = faults >= states.length * wantedHits * 1.5;
  return report(
    {
      sends,
      seed,
      seconds: Math.round(seconds),
      answers: Object.fromEntries(
        ['accepted', 'refused', 'unknown'].map((kind) => [
          kind,
          beliefs.filter((each) => each === kind).length,
        ]),
      ),
      copies: evidence.sink.length,
      repeats,
      doubted: evidence.doubted.size,
      hits: faultInjector.hits,
      injected: faultInjector.injected,
      missed: faultInjector.missed,
      wantedHits: enoughFaults ? wantedHits : 0,
    },
    [...judge(evidence), ...(await load.judge(evidence))],
  );
}
