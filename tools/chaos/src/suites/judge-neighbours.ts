import { finding, type Finding } from '../judging/finding.js';
import { pace } from '../judging/judge.js';
import { emailIdOf, type SinkLine } from '../judging/sink-ledger.js';
import { quantile } from './suite.js';
import type { Accepted } from './tenant.js';

export interface NeighboursEvidence {
  sink: readonly SinkLine[];
  /** Milliseconds of 1970: when the project was disabled, and between which the noise was made. */
  disabledAt: number;
  from: number;
  to: number;
  ratePerSecond: number;
  /** The victim's transactional mail. */
  victim: readonly Accepted[];
  bulkCount: number;
  /** Claims of the disabled project's mail, when it had just been disabled and in the end. */
  claims: { before: number; after: number };
  /** Of the disabled project, in the end. */
  waiting: number;
  /** By e-mail, the name of its project. */
  owners: ReadonlyMap<string, string>;
  answers: readonly (readonly [string, number])[];
  crashes: readonly string[];
}

/** docs/guarantees.md G14. */
const maxP95Ms = 3_000;
const maxCopies = 2;
/** While every tenth message may be bulk. */
const maxBulkGapMs = 15_000;
const disabledGraceMs = 2_000;
/** What was asked for just before the end may still be on its way. */
const lastMs = 10_000;
/** The promise is 90 %, on a machine of its own: here rendering threads and servers of the test share its processors, and a late wake-up loses its slot. */
const leastUse = 0.8;
/** At so low a rate one message that is a tenth of a second late shares its second with one too many. */
const paceWindowMs = 900;

export function judgeNeighbours(evidence: NeighboursEvidence): Finding[] {
  return [
    latency(evidence),
    bulk(evidence),
    copies(evidence),
    disabled(evidence),
    pace(evidence, paceWindowMs),
    use(evidence),
    finding('G18', 'a process ended', 1, [...evidence.crashes]),
  ];
}

export function linesOf(evidence: NeighboursEvidence): string[] {
  const latencies = latenciesOf(evidence);
  const bySender = Map.groupBy(evidence.sink, (line) => evidence.owners.get(emailIdOf(line)) ?? 'no project');
  const [p50, p95, most] = [0.5, 0.95, 1].map((share) => Math.round(quantile(latencies, share)));
  return [
    `Victim, from the request to the mail server: p50 ${p50} ms, p95 ${p95} ms, most ${most} ms of ${latencies.length} messages`,
    `Victim, answers: ${evidence.answers.map(([status, count]) => `${status} ${count}`).join(' · ')}`,
    `Victim, bulk: ${bulkOf(evidence).length} of ${evidence.bulkCount} arrived, at most ${Math.round(bulkGap(evidence) / 100) / 10} s without one`,
    `At the mail server: ${[...bySender].map(([name, lines]) => `${name} ${lines.length}`).join(' · ')}`,
    `Disabled: ${evidence.waiting} wait, ${evidence.claims.after - evidence.claims.before} claims since`,
    `Rate: ${Math.round(usedOf(evidence) * 100)} % of ${evidence.ratePerSecond} a second`,
  ];
}

/** Those that never came count as if they had come now. */
function latenciesOf({ victim, sink, from, to }: NeighboursEvidence): number[] {
  const arrivals = new Map(sink.toReversed().map((line) => [emailIdOf(line), line.receivedAt]));
  return victim
    .filter(({ askedAt }) => askedAt >= from && askedAt < to - lastMs)
    .map(({ id, askedAt }) => (arrivals.get(id) ?? to) - askedAt);
}

function latency(evidence: NeighboursEvidence): Finding {
  const latencies = latenciesOf(evidence);
  const p95 = quantile(latencies, 0.95);
  return finding('G14', `p95 of the victim above ${maxP95Ms} ms`, latencies.length, [
    latencies.length === 0 ? 'nothing was accepted' : null,
    p95 > maxP95Ms ? `p95 is ${Math.round(p95)} ms` : null,
  ]);
}

const bulkOf = ({ sink }: NeighboursEvidence) => sink.filter(({ to }) => to.startsWith('bulk-'));

/** The longest time without one, until the last one had come or the end. */
function bulkGap(evidence: NeighboursEvidence): number {
  const instants = bulkOf(evidence).map(({ receivedAt }) => receivedAt);
  const ends = instants.length < evidence.bulkCount ? [...instants, evidence.to] : instants;
  return Math.max(...ends.map((instant, index) => instant - (ends[index - 1] ?? evidence.from)), 0);
}

function bulk(evidence: NeighboursEvidence): Finding {
  const gap = bulkGap(evidence);
  return finding(
    'G14 bulk',
    `more than ${maxBulkGapMs / 1_000} s without bulk mail of the victim`,
    evidence.bulkCount,
    [gap > maxBulkGapMs ? `${Math.round(gap)} ms without one` : null],
  );
}

function copies({ sink }: NeighboursEvidence): Finding {
  const byEmail = Map.groupBy(sink, emailIdOf);
  return finding(
    'G4',
    `a message that came more than ${maxCopies} times`,
    byEmail.size,
    [...byEmail].map(([, lines]) =>
      lines.length > maxCopies ? `${lines[0]!.to} came ${lines.length} times` : null,
    ),
  );
}

function disabled({ sink, disabledAt, claims }: NeighboursEvidence): Finding {
  const late = sink.filter(
    ({ to, receivedAt }) => to.startsWith('disabled-') && receivedAt > disabledAt + disabledGraceMs,
  );
  return finding('disabled', 'mail of the disabled project that is claimed or leaves', claims.before, [
    ...late.map(({ to }) => `${to} left`),
    claims.after > claims.before ? `${claims.after - claims.before} claims` : null,
  ]);
}

/** The flood waits all the time. */
function usedOf({ sink, from, to, ratePerSecond }: NeighboursEvidence): number {
  const within = sink.filter(({ receivedAt }) => receivedAt >= from && receivedAt < to);
  return within.length / ((ratePerSecond * (to - from)) / 1_000);
}

function use(evidence: NeighboursEvidence): Finding {
  const used = usedOf(evidence);
  return finding('G13 use', `less than ${leastUse * 100} % of the rate is used`, evidence.sink.length, [
    used < leastUse ? `${Math.round(used * 100)} % are used` : null,
  ]);
}
