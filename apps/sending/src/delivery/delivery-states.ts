/** The states of a message (docs/guarantees.md §3). HELD waits for an operator after an outage. SENT, BOUNCED, FAILED and CANCELLED are final. */
export type DeliveryState =
  'QUEUED' | 'HELD' | 'CLAIMED' | 'HANDOFF' | 'AMBIGUOUS' | 'SENT' | 'BOUNCED' | 'FAILED' | 'CANCELLED';

/** Transactional mail goes first; bulk mail keeps a tenth of the ready buffer. */
export const lanes = { transactional: 0, bulk: 1 } as const;
export type Lane = (typeof lanes)[keyof typeof lanes];

/** The delivery window: a message is attempted for so long after it was due (docs/api-decisions.md). */
export const deliveryWindowHours = 24;

/** A message whose claiming process died this often is presumed to be the cause, and fails. */
export const maxClaims = 3;
