import {
  assertUnreachable,
  boundedText,
  emailEvents,
  suppressionEvents,
  type EmailStatus,
  type EventContract,
  type FailureKind,
} from '@posthorn/contracts';
import { classify, nextRetry, type Attempt } from '@posthorn/mail';
import type { DeliveryState } from '../delivery.entity.js';
import type { MarkVerdict } from '../hand-off/hand-off-marks.repository.js';

/** The final write of one attempt: what becomes of the delivery, the e-mail, and who is told. */
export interface Outcome {
  state: DeliveryState;
  /** The e-mail's new status; null leaves it as it is. */
  status: EmailStatus | null;
  failureKind: FailureKind | null;
  error: string | null;
  /** Until it is due again, or until an unknown outcome is given up. */
  delayMs: number;
  attempted: boolean;
  suppress: boolean;
  attempt: Attempt | null;
  events: { event: EventContract; members: object }[];
  /** Its last claim ended with a process, and not with this outcome. */
  keepsClaims?: boolean;
}

export interface OutcomeRules {
  acceptIsDelivery: boolean;
  ambiguousMs: number;
  /** The first wait of a message that was refused for now. */
  retryMs: number;
  random: () => number;
}

interface Subject {
  recipient: string;
  attempts: number;
  waitedMs: number;
  expired: boolean;
}

interface Failed {
  attempt: Attempt;
  subject: Subject;
  rules: OutcomeRules;
  error: string | null;
  failureKind: FailureKind | null;
}

const heldMs = 60_000;
/** A project so new that its event is still on the way. */
const unheardMs = 500;
const maxErrorText = 1_000;
/** A message whose claims have ended so many times with their process is given up: it may be what ends them. */
export const maxClaims = 3;
const endedItsProcess = `The message was given up: ${maxClaims} times the process that worked on it ended`;
const nothing = {
  delayMs: 0,
  attempted: false,
  suppress: false,
  attempt: null,
  error: null,
  failureKind: null,
  events: [],
};

/** What an SMTP attempt means for the message (docs/api-decisions.md §3). */
export function outcomeOf(attempt: Attempt, subject: Subject, rules: OutcomeRules): Outcome {
  const { outcome, failureKind = null, suppress } = classify(attempt);
  const error = errorText(attempt);
  const tried = { ...nothing, attempt, attempted: true };
  switch (outcome) {
    case 'delivered':
      return {
        ...tried,
        state: 'SENT',
        status: rules.acceptIsDelivery ? 'DELIVERED' : 'SENT',
        events: deliveredEvents(rules.acceptIsDelivery),
      };
    case 'retry':
      return retryOrGiveUp({ attempt, subject, rules, error, failureKind });
    case 'provider_fault':
      return afterProviderFault({ attempt, subject, rules, error, failureKind });
    case 'bounced':
      return {
        ...tried,
        state: 'BOUNCED',
        status: 'BOUNCED',
        failureKind: 'hard_bounce',
        error,
        suppress,
        events: bouncedEvents(subject.recipient, error, suppress),
      };
    case 'failed':
      return { ...tried, ...failure('provider_rejected', error), attempt, attempted: true };
    case 'ambiguous':
      return { ...tried, state: 'AMBIGUOUS', status: null, error, delayMs: rules.ambiguousMs };
    default:
      return assertUnreachable(outcome);
  }
}

/** What the mark refused; null for what belongs to somebody else by now. */
export function outcomeOfRefusal(verdict: Exclude<MarkVerdict, 'ok'>, subject: Subject): Outcome | null {
  switch (verdict) {
    case 'lost':
      return null;
    case 'suppressed':
      return failure('suppressed', 'The address is suppressed');
    case 'unsubscribed':
      return failure('unsubscribed', 'The recipient has unsubscribed from marketing mail');
    case 'quota':
      return failure('quota_exhausted', 'The allowance of the month is used up');
    case 'disabled':
      return subject.expired ? failure('project_disabled', 'The project is disabled') : held();
    case 'unknown_project':
      return subject.expired ? failure('project_disabled', 'The project is not known') : held(unheardMs);
    default:
      return assertUnreachable(verdict);
  }
}

export function failure(failureKind: FailureKind, error: string | null): Outcome {
  const reason = error === null ? null : boundedText(error, maxErrorText);
  return {
    ...nothing,
    state: 'FAILED',
    status: 'FAILED',
    failureKind,
    error: reason,
    events: [{ event: emailEvents.failed, members: { failureKind, reason } }],
  };
}

/** A message that cannot be composed costs itself, never the others. */
export const notComposed = (failureKind: FailureKind, error: string): Outcome => ({
  ...failure(failureKind, error),
  ...(failureKind === 'rendering' ? { status: 'RENDERING_FAILURE' as const } : {}),
});

/** The process stood still after the mark, and what the mark looked at may have changed: it is marked anew, at once. */
export const notBegun = (): Outcome => ({ ...nothing, state: 'QUEUED', status: null });

/** An unknown outcome that nobody resolved in time: sent again, or held for a human. */
export function outcomeOfSilence(policy: 'resend' | 'hold', claims: number): Outcome {
  if (claims >= maxClaims)
    return failure(
      'delivery_unconfirmed',
      `${endedItsProcess} while it was handed over; the mail server may have taken it`,
    );
  if (policy === 'resend') return { ...notBegun(), keepsClaims: true };
  return failure('delivery_unconfirmed', 'The mail server may have taken the message; it was not sent again');
}

/** It was never handed over by those claims, and is not claimed again. */
export const outcomeOfDeaths = (): Outcome =>
  failure('rendering', `${endedItsProcess} before it could be handed over`);

/** An outage of the provider is no fault of the message that met it: its waits do not grow, so that it is due soon after. */
function afterProviderFault({ attempt, subject, rules, error, failureKind }: Failed): Outcome {
  const outcome = retryOrGiveUp({ attempt, subject: { ...subject, attempts: 0 }, rules, error, failureKind });
  return { ...outcome, attempted: false };
}

function retryOrGiveUp({ attempt, subject, rules, error, failureKind }: Failed): Outcome {
  const decision = nextRetry({
    attempts: subject.attempts + 1,
    waitedMs: subject.waitedMs,
    random: rules.random,
    firstMs: rules.retryMs,
  });
  if (!decision.retry || subject.expired)
    return { ...failure('provider_unavailable', error), attempt, attempted: true };
  return {
    ...nothing,
    state: 'QUEUED',
    status: 'PENDING',
    failureKind,
    error,
    delayMs: decision.delayMs,
    attempted: true,
    attempt,
  };
}

const held = (delayMs = heldMs): Outcome => ({ ...nothing, state: 'QUEUED', status: null, delayMs });

function deliveredEvents(delivered: boolean): Outcome['events'] {
  return [
    { event: emailEvents.sent, members: {} },
    ...(delivered ? [{ event: emailEvents.delivered, members: {} }] : []),
  ];
}

function bouncedEvents(recipient: string, reason: string | null, suppress: boolean): Outcome['events'] {
  const bounced = { event: emailEvents.bounced, members: { bounceType: 'Permanent', reason } };
  return suppress
    ? [bounced, { event: suppressionEvents.added, members: { email: recipient, reason: 'HARD_BOUNCE' } }]
    : [bounced];
}

/** What the server said, or what became of the connection. */
function errorText({ reply, error, stage }: Attempt): string | null {
  const text = reply ? [reply.code, reply.enhanced, reply.text].filter(Boolean).join(' ') : error;
  return text ? boundedText(`${stage}: ${text}`, maxErrorText) : null;
}
