import { join } from 'node:path';
import { Clients } from './client.js';
import type { Fault } from './faults/faults.js';
import { MessageFaults, planOf, states, type State } from './faults/message-faults.js';
import { StallWatch } from './judging/judge-answers.js';
import { judge, type Evidence } from './judging/judge.js';
import { knowledgeOf, Ledger, readSinkBytes, readSinkLedger } from './judging/ledger.js';
import type { Records } from './judging/records.js';
import { workLeft, workLine } from './judging/work-books.js';
import type { Load } from './loads/load.js';
import { chaosProject, untilQuiet } from './product.js';
import { Random } from './random.js';
import { slowAfter, slowBefore, type Wanted } from './recipients.js';
import {
  countedBy,
  countsText,
  judgeHits,
  runSuite,
  type Stage,
  type SuiteOptions,
  type Verdict,
} from './suites/suite.js';

const replicas = { sending: 2, contacts: 1, analytics: 1, campaigns: 1, workflows: 1, gateway: 2 };
/** As fast as it goes; the relay is only ever caught while events keep coming. */
const burst = { atOnce: 12, restMs: 0 };
const trickle = { atOnce: 3, restMs: 40 };
const slowOnes = 24;
const settleSeconds = 120;
const reportsEvery = 10;
const wantedHits = 5;

interface Act {
  stage: Stage;
  load: Load;
  records: Records;
  ledger: Ledger;
  faultInjector: MessageFaults;
  stallWatch: StallWatch;
}

/** One run: load and faults together, then quiet, then the judgement. */
export const runChaos = (name: string, options: SuiteOptions, load: Load): Promise<boolean> =>
  runSuite(options, { name, replicas, keepsBytes: load.keepsBytes }, async (stage) => {
    const { fixture, processes } = stage;
    const ledger = new Ledger(join(options.directory, 'calls.jsonl'));
    const stallWatch = new StallWatch();
    try {
      const { token, records } = await chaosProject(fixture);
      const clients = new Clients(processes.gateways, token, ledger, { ...options, load });
      await load.prepare(clients.request);
      const faultInjector = new MessageFaults(stage, records);
      await attack(options, load, clients, faultInjector);
      await clients.drained();
      await processes.untilAllReady();
      await untilQuiet(() => records.unfinished(), settleSeconds);
      return await verdict({ stage, load, records, ledger, faultInjector, stallWatch });
    } finally {
      stallWatch.stop();
      ledger.close();
    }
  });

/** With every fault comes its share of the sends, so that faults meet traffic and the same seed meets the same. */
async function attack(
  { sends, faults, seed }: SuiteOptions,
  load: Load,
  clients: Clients,
  faultInjector: MessageFaults,
): Promise<void> {
  const random = new Random(seed);
  const plan = planOf(faults, new Random(seed + 2));
  const sending: Promise<void>[] = [];
  let position = 0;
  for (const [index, fault] of plan.entries()) {
    const share = Math.round(((index + 1) * sends) / faults) - position;
    const batch = batchFor(load, fault, position, share, random);
    position += share;
    sending.push(clients.send(batch, fault.at === 'relay between publish and mark' ? trickle : burst));
    await faultInjector.inject(fault);
    if ((index + 1) % reportsEvery === 0)
      console.log(`${index + 1} of ${faults} faults, ${position} of ${sends} sends`);
  }
  await Promise.all(sending);
}

function batchFor(load: Load, { at }: Fault<State>, first: number, count: number, random: Random): Wanted[] {
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

async function verdict({ stage, load, records, ledger, faultInjector, stallWatch }: Act): Promise<Verdict> {
  const { fixture, processes, options } = stage;
  const { hits, injected, missed } = faultInjector;
  const evidence: Evidence = {
    sends: ledger.sends,
    sink: readSinkLedger(fixture.sinkLedger),
    bytes: readSinkBytes(fixture.sinkLedger),
    emails: await records.emails(),
    events: await records.events(),
    contacts: (await records.contacts()).map(({ email }) => email),
    totals: await records.totals(),
    unfinished: await records.unfinished(),
    deadLetters: await records.deadLetters(),
    work: await workLeft(records),
    doubted: faultInjector.suspected,
    strikes: faultInjector.injectedFaults,
    outages: fixture.outages,
    stalls: stallWatch.stalls,
    goodbyes: processes.unsubscribes,
    badExits: processes.badExits,
    ratePerSecond: options.ratePerSecond,
  };
  const answers = countedBy(evidence.sends, (send) => knowledgeOf(send).kind);
  const copies = evidence.sink.length;
  const repeats = copies - new Set(evidence.sink.map(({ messageId }) => messageId)).size;
  const least = options.faults >= states.length * wantedHits * 1.5 ? wantedHits : 0;
  const doubted = evidence.doubted.size;
  return {
    lines: [
      `Work left: ${workLine(evidence.work)}`,
      `Faults by the state that they hit: ${countsText(Object.entries(hits))} · missed ${missed}`,
      `Faults by weapon: ${countsText(injected)}`,
      `Answers: ${countsText(Object.entries(answers))}`,
      `At the mail server: ${copies} messages, ${repeats} repeats; ${doubted} were in hand-off or in doubt at a fault`,
    ],
    figures: { sends: options.sends, answers, copies, repeats, doubted, hits, missed },
    findings: [...judge(evidence), ...(await load.judge(evidence)), judgeHits(hits, least)],
  };
}
