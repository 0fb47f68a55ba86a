import type { Form } from './loads/forms.js';
import type { Random } from './random.js';

/** What a recipient's server does, and what must become of the message. */
export interface RecipientKind {
  /** The local part that the sink reads (`behaviourOf`). */
  name: string;
  weight: number;
  ends: 'DELIVERED' | 'BOUNCED' | 'FAILED' | 'CANCELLED';
  /** Where two ends are honest: nobody heard which it was. */
  orEnds?: 'CANCELLED' | 'FAILED';
  /** The server may have taken the message without saying so: one repeat is honest (docs/guarantees.md G4). */
  ambiguous?: boolean;
  /** Attempts that it takes at least, where the kind alone decides. */
  attempts?: number;
}

const taken = (name: string, weight: number, rest: Partial<RecipientKind> = {}): RecipientKind => ({
  name,
  weight,
  ends: 'DELIVERED',
  ...rest,
});
const refused = (name: string, weight: number): RecipientKind => ({
  name,
  weight,
  ends: 'BOUNCED',
  attempts: 1,
});

const recipientKinds: readonly RecipientKind[] = [
  taken('ok', 70),
  // Drawn only where a fault needs them.
  taken('late-at-data-700', 0),
  taken('late-at-accept-700', 0),
  taken('late-at-data-90', 3),
  taken('late-at-accept-90', 3),
  taken('refuse-450-times-3', 2, { attempts: 4 }),
  taken('one-byte-a-second', 1),
  taken('rcpt-451-once', 1),
  taken('data-421-once', 1),
  taken('dot-451-once', 1),
  taken('hang-at-rcpt-once', 1),
  taken('hang-at-data-once', 1),
  taken('drop-at-data-once', 1),
  // A short message has left with its dot before a busy client hears of it.
  taken('drop-before-dot-once', 1, { ambiguous: true }),
  taken('reset-before-dot-once', 1, { ambiguous: true }),
  taken('reply-before-dot-once', 1, { ambiguous: true }),
  taken('unfinished-at-rcpt-once', 1),
  taken('senseless-at-rcpt-once', 1),
  taken('extra-at-rcpt-once', 1),
  taken('drop-after-dot-once', 1, { ambiguous: true }),
  taken('reset-after-dot-once', 1, { ambiguous: true }),
  taken('hang-after-dot-once', 1, { ambiguous: true }),
  taken('senseless-after-dot-once', 1, { ambiguous: true }),
  taken('drop-after-accept-once', 1, { ambiguous: true }),
  taken('reset-after-accept-once', 1, { ambiguous: true }),
  taken('hang-after-accept-once', 1, { ambiguous: true }),
  taken('senseless-after-accept-once', 1, { ambiguous: true }),
  refused('rcpt-550-5.1.1', 2),
  refused('rcpt-550-5.7.1', 1),
  refused('data-554', 1),
  refused('dot-554', 1),
];

export const kindNamed = (name: string): RecipientKind => recipientKinds.find((kind) => kind.name === name)!;
export const slowBefore = kindNamed('late-at-data-700');
export const slowAfter = kindNamed('late-at-accept-700');

/** One message that a client wants sent. */
export interface Wanted {
  index: number;
  kind: RecipientKind;
  to: string;
  /** Without one the client never repeats. */
  key: string | null;
  /** Asked for twice at once under the one key. */
  twice: boolean;
  form: Form;
  /** Milliseconds since 1970 before which it must not be sent. */
  scheduledAt?: number;
}

export function wanted(index: number, random: Random, kind = random.weighted(recipientKinds)): Wanted {
  const keyed = random.chance(0.6);
  return {
    index: index,
    kind,
    to: `${kind.name}+${index}@sink.test`,
    key: keyed ? `chaos-${index}` : null,
    twice: keyed && random.chance(0.1),
    form: 'plain',
  };
}
