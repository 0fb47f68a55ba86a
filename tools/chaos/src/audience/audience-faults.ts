import { faultAt, FaultInjector, type Fault, type FaultKind } from '../faults/faults.js';
import { heldAt, watching, type Caught, type Lock } from '../faults/lock-trap.js';
import type { Random } from '../random.js';
import type { Stage } from '../suites/suite.js';
import type { OperationKind } from './operations.js';

/** What contacts may be at when it dies (docs/decisions/0018). */
export const audienceStates = [
  'import between its rows and its commit',
  'recount before its commit',
  'entries and exits before their commit',
  'deletion before its commit',
  'erasure between two of its steps',
] as const;
type AudienceState = (typeof audienceStates)[number];

/** Held open where all of it is written and nothing committed: the statement that comes last waits. */
const stateLocks: Record<AudienceState, Lock> = {
  'import between its rows and its commit': {
    table: 'import_pieces',
    statement: 'DELETE FROM import_pieces%place < $3',
  },
  'recount before its commit': { table: 'segments', statement: 'UPDATE "segments" SET%' },
  'entries and exits before their commit': {
    table: 'segment_dirty',
    statement: '%DELETE FROM segment_dirty%',
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
export function audiencePlan(count: number, random: Random): Fault<AudienceState>[] {
  const fault = (at: AudienceState | null, kind: FaultKind) => faultAt(at, kind, random);
  const aimed = Array.from({ length: Math.round(count * aimedShare) }, (_, index) => {
    const round = Math.floor(index / audienceStates.length);
    return fault(audienceStates[index % audienceStates.length]!, aimedFaults[round % aimedFaults.length]!);
  });
  const blind = Array.from({ length: count - aimed.length }, (_, index) =>
    fault(null, index === 0 ? 'wipe nats' : randomFaults[(index - 1) % randomFaults.length]!),
  );
  return random.shuffled([...aimed, ...blind]);
}

const timeoutMs = 3_000;

/** Strikes contacts at what they may be at. */
export class AudienceFaults extends FaultInjector<AudienceState> {
  constructor(
    stage: Stage,
    private readonly contactsUrl: string,
  ) {
    super(stage, audienceStates);
  }

  protected override trap(
    state: AudienceState,
    inject: (caught: Caught) => Promise<void>,
  ): Promise<Caught | null> {
    return heldAt(() => watching(this.contactsUrl), stateLocks[state], timeoutMs, inject);
  }
}
