import { finding, type Finding } from '../judging/finding.js';
import type { EmailRow } from '../judging/records.js';
import { emailIdOf, type SinkLine } from '../judging/sink-ledger.js';
import type { LockWatch } from './lock-watch.js';

export interface OperationsEvidence {
  dump: {
    waits: LockWatch;
    slowestMs: number;
    /** Partitions that were to be made or dropped. */
    due: number;
    dueUnderLocks: number;
    left: readonly string[];
  };
  restore: {
    /** Milliseconds of 1970. */
    restoredAt: number;
    decidedAt: number;
    held: number;
    /** How mail past its day had ended before the restore. */
    lateBefore: readonly string[];
    newMissing: number;
  };
  previous: { commit: string | null; sent: number; missing: readonly string[] };
  crashes: readonly string[];
  sink: readonly SinkLine[];
  late: readonly EmailRow[];
  dropped: readonly EmailRow[];
  unanswered: readonly string[];
}

const maxWaitSeconds = 2;
const maxCopies = 2;
const minLooks = 20;

const isOld = ({ to }: SinkLine) => /^(released|dropped|late)-/.test(to);

export function judgeOperations(evidence: OperationsEvidence): Finding[] {
  const { dump, restore, previous, sink } = evidence;
  const wait = dump.waits.longest?.seconds ?? 0;
  return [
    finding('lock waits', `a wait of more than ${maxWaitSeconds} s for a lock`, dump.waits.looks, [
      wait > maxWaitSeconds ? dump.waits.line : null,
      // A watch that ended early saw nothing, which proves nothing.
      dump.waits.looks < minLooks ? `only ${dump.waits.looks} looks` : null,
    ]),
    finding('partitions', 'a partition that is not made or dropped once the dump is over', dump.due, [
      ...dump.left,
    ]),
    finding('G1 G17', 'a send that was never answered', sink.length, [...evidence.unanswered]),
    unconfirmed(evidence),
    decided(evidence),
    finding('G24 new', 'new mail that does not leave after the restore', restore.held, [
      restore.newMissing > 0 ? `${restore.newMissing} wait` : null,
    ]),
    expired(evidence),
    copies(sink),
    finding('G23', 'mail that the previous release does not deliver on this schema', previous.sent, [
      ...previous.missing,
    ]),
    finding('G18', 'a process ended', 1, [...evidence.crashes]),
  ];
}

export function linesOf({ dump, restore, previous }: OperationsEvidence): string[] {
  return [
    `Dump: the locks of pg_dump (ACCESS SHARE on every table, one snapshot) while ${dump.due} partitions were due; ${dump.dueUnderLocks} of them had to wait until it was over`,
    `Longest wait for a lock: ${dump.waits.line}`,
    `Slowest accept meanwhile: ${Math.round(dump.slowestMs)} ms`,
    `Restore: ${restore.held} held`,
    `Previous release: ${previous.commit ? `${previous.commit}, ${previous.sent} messages` : 'not looked at, there is no history of the sources here'}`,
  ];
}

/** What was in the dump leaves only when the operator has decided. */
function unconfirmed({ sink, restore }: OperationsEvidence): Finding {
  const early = sink.filter(
    (line) => isOld(line) && line.receivedAt >= restore.restoredAt && line.receivedAt < restore.decidedAt,
  );
  return finding(
    'G24',
    'mail of the dump that leaves without confirmation',
    restore.held,
    early.map(({ to }) => `${to} left`),
  );
}

function decided({ sink, restore, dropped }: OperationsEvidence): Finding {
  const after = sink.filter((line) => isOld(line) && line.receivedAt >= restore.decidedAt);
  const released = new Set(after.filter(({ to }) => to.startsWith('released-')).map(emailIdOf));
  const all = new Set(sink.filter(({ to }) => to.startsWith('released-')).map(emailIdOf));
  return finding(
    'G24 decided',
    'held mail that is not sent when released, or not given up when dropped',
    all.size,
    [
      ...after.flatMap(({ to }) => (to.startsWith('released-') ? [] : [`${to} was dropped and left`])),
      ...dropped.map(({ to, status }) => (status === 'FAILED' ? null : `${to} is ${status}`)),
      released.size < all.size ? `${all.size - released.size} released ones did not leave` : null,
    ],
  );
}

function expired({ sink, restore, late }: OperationsEvidence): Finding {
  return finding('expired', 'mail past its day that leaves, or does not fail as expired', late.length, [
    ...sink.flatMap(({ to }) => (to.startsWith('late-') ? [`${to} left`] : [])),
    ...restore.lateBefore.map((end) => (end === 'FAILED expired' ? null : `it ended ${end}`)),
  ]);
}

function copies(sink: readonly SinkLine[]): Finding {
  const byEmail = Map.groupBy(sink, emailIdOf);
  return finding(
    'G4',
    `a message that came more than ${maxCopies} times`,
    byEmail.size,
    [...byEmail.values()].map((lines) =>
      lines.length > maxCopies ? `${lines[0]!.to} came ${lines.length} times` : null,
    ),
  );
}
