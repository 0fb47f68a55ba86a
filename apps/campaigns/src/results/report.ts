import {
  skipReasons,
  type EmailBounced,
  type EmailFailed,
  type RecipientOutcome,
  type RecipientReason,
} from '@posthorn/contracts';

/** What happened to an e-mail after it was handed over, each at most once; the column `reported_bits` holds them as bits. */
export const reportBits = {
  delivered: 1,
  opened: 2,
  clicked: 4,
  bounced: 8,
  complained: 16,
  unsubscribed: 32,
} as const;
export type Reported = keyof typeof reportBits;

export interface Report {
  outcome: Exclude<RecipientOutcome, 'QUEUED'>;
  reason: RecipientReason | null;
  bit: number;
}

/** Everything else that is reported of an e-mail implies that it was sent. */
export const sentAnd = (reported?: Reported): Report => ({
  outcome: 'SENT',
  reason: null,
  bit: reported ? reportBits[reported] : 0,
});

/** What the recipient's server refused was never sent; what bounces afterwards was. A transient bounce changes nothing. */
export function reportOfBounce({
  bounceType,
  refused = false,
}: Pick<EmailBounced, 'bounceType' | 'refused'>): Report | null {
  if (bounceType !== 'Permanent') return null;
  return refused ? { outcome: 'FAILED', reason: 'hard_bounce', bit: reportBits.bounced } : sentAnd('bounced');
}

export const reportOfFailure = ({ failureKind }: Pick<EmailFailed, 'failureKind'>): Report => ({
  outcome: isSkipped(failureKind) ? 'SKIPPED' : 'FAILED',
  reason: failureKind,
  bit: 0,
});

export const reportOfCancelling: Report = { outcome: 'SKIPPED', reason: 'cancelled', bit: 0 };

const isSkipped = (reason: RecipientReason): boolean => (skipReasons as readonly string[]).includes(reason);
