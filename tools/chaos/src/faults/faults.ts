import type { Random } from '../random.js';

/** The lines of a message's life at which a process may die (docs/guarantees.md §7). */
export const states = [
  'accept transaction',
  'CLAIMED',
  'HANDOFF before the last byte',
  'HANDOFF after the last byte',
  'final write',
  'relay between publish and mark',
] as const;
export type State = (typeof states)[number];

/** What strikes. A stop lasts longer than a lease, or shorter. */
/** A stall lasts longer than a gateway waits: what it then voids must not come to be afterwards. */
export const stallMs = 2_600;

export const faultKinds = [
  'kill sending',
  'stop sending',
  'pause sending',
  'leave sending',
  'kill gateway',
  'stop gateway',
  'pause gateway',
  'leave gateway',
  'kill contacts',
  'stop contacts',
  'kill analytics',
  'stop analytics',
  'kill campaigns',
  'stop campaigns',
  'kill workflows',
  'stop workflows',
  'crash postgres',
  'stall postgres',
  'kill nats',
  'wipe nats',
  'kill smtp',
  'refuse smtp',
] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface Fault {
  /** The state that is waited for before the strike; null strikes at any moment. */
  at: State | null;
  fault: FaultKind;
  /** Which of the replicas. */
  replica: number;
  downMs: number;
  /** Whether everything is back before the next fault comes. */
  recovers: boolean;
}

const faultKindsAt: Record<State, readonly FaultKind[]> = {
  'accept transaction': ['kill sending', 'crash postgres', 'stall postgres', 'kill nats', 'pause sending'],
  CLAIMED: ['kill sending', 'stop sending', 'crash postgres'],
  'HANDOFF before the last byte': ['kill sending', 'kill smtp', 'stop sending'],
  'HANDOFF after the last byte': ['kill sending', 'kill smtp', 'crash postgres'],
  'final write': ['kill sending', 'crash postgres', 'stop sending'],
  'relay between publish and mark': ['kill sending', 'wipe nats', 'crash postgres'],
};

const statesShare = 0.7;

/** The deck of one run: the same for the same seed. Each state comes equally often, then each weapon at any moment. */
export function planOf(count: number, random: Random): Fault[] {
  const aimed = Array.from({ length: Math.round(count * statesShare) }, (_, index): Fault => {
    const at = states[index % states.length]!;
    const choice = faultKindsAt[at];
    return fault(at, choice[Math.floor(index / states.length) % choice.length]!, random);
  });
  const anyTime = faultKinds.filter((fault) => fault !== 'stall postgres');
  const blind = Array.from({ length: count - aimed.length }, (_, index) =>
    fault(null, anyTime[index % anyTime.length]!, random),
  );
  return random.shuffled([...aimed, ...blind]);
}

function fault(at: State | null, faultKind: FaultKind, random: Random): Fault {
  return {
    at,
    fault: faultKind,
    replica: random.whole(0, 7),
    downMs: random.whole(100, 1_500),
    recovers: random.chance(0.6),
  };
}
