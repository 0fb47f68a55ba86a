import type { FaultKind } from '../faults/faults.js';
import type { Lock } from '../faults/lock-trap.js';
import type { Random } from '../random.js';
import type { OperationKind } from './operations.js';

/** What contacts may be at when it dies (docs/decisions/0018). */
export const audienceStates = [
  'import between its rows and its commit',
  'recount before its commit',
  'entries and exits before their commit',
  'deletion before its commit',
  'erasure between two of its steps',
] as const;
export type AudienceState = (typeof audienceStates)[number];

/** Held open where all of it is written and nothing committed: the statement that comes last waits. */
export const stateLocks: Record<AudienceState, Lock> = {
  'import between its rows and its commit': {
    table: 'import_pieces',
    statement: 'DELETE FROM import_pieces%place < $3',
  },
  'recount before its commit': { table: 'segments', statement: 'UPDATE "segments" SET%' },
  'entries and exits before their commit': {
    table: 'segment_dirty',
    statement: 'DELETE FROM segment_dirty%',
  },
  'deletion before its commit': { table: 'erasures', statement: 'INSERT INTO erasures%' },
  'erasure between two of its steps': {
    table: 'dead_letters',
    statement: 'SELECT id, payload%FROM dead_letters%',
    mode: 'EXCLUSIVE',
  },
};

/** What brings a state about. */
export const operationsFor: Record<AudienceState, OperationKind> = {
  'import between its rows and its commit': 'imports',
  'recount before its commit': 'recount',
  'entries and exits before their commit': 'upsert',
  'deletion before its commit': 'farewell',
  'erasure between two of its steps': 'farewell',
};

export interface AudienceFault {
  /** Null strikes at any moment. */
  at: AudienceState | null;
  fault: FaultKind;
  replica: number;
  downMs: number;
  /** Whether everything is back before the next fault comes. */
  recovers: boolean;
}

const aimedFaults: readonly FaultKind[] = [
  'kill contacts',
  'kill contacts',
  'crash postgres',
  'kill contacts',
  'stop contacts',
];
const randomFaults: readonly FaultKind[] = [
  'kill contacts',
  'kill gateway',
  'kill sending',
  'kill nats',
  'crash postgres',
  'stop contacts',
  'kill gateway',
  'kill sending',
];
const aimedShare = 0.85;

/** The deck of one run: the same for the same seed. Each state comes equally often, and NATS loses its store once. */
export function audiencePlan(count: number, random: Random): AudienceFault[] {
  const fault = (at: AudienceState | null, fault: FaultKind): AudienceFault => ({
    ...{ at, fault, replica: random.whole(0, 7) },
    ...{ downMs: random.whole(100, 1_500), recovers: random.chance(0.6) },
  });
  const aimed = Array.from({ length: Math.round(count * aimedShare) }, (_, index) => {
    const round = Math.floor(index / audienceStates.length);
    return fault(audienceStates[index % audienceStates.length]!, aimedFaults[round % aimedFaults.length]!);
  });
  const blind = Array.from({ length: count - aimed.length }, (_, index) =>
    fault(null, index === 0 ? 'wipe nats' : randomFaults[(index - 1) % randomFaults.length]!),
  );
  return random.shuffled([...aimed, ...blind]);
}
