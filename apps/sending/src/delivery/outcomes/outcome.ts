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
import { maxClaims, type DeliveryState } from '../delivery-states.js';
import type { Mark, MarkDecision } from '../hand-off/hand-off-marks.repository.js';

const maxErrorText = 1_000;

export interface Outcome {
  state: DeliveryState;
  status: EmailStatus | null;
  failureKind: FailureKind | null;
  error: string | null;
  /** Until the next attempt, or until an ambiguous delivery is resolved. */
  delayMs: number;
  /** Raises `attempts`, on which the delay of the next retry depends. */
  countsAsAttempt: boolean;
  suppress: boolean;
  attempt: Attempt | null;
  events: { event: EventContract; payload: object }[];
  /** Kept back by an allowance, a warm-up, quiet hours or its paused campaign; a new delivery window begins afterwards. */
  waitsForNextPeriod?: boolean;
  hasTurn?: boolean;
  /** To be sent again although the mail server may have it: counted, and the claim counter stays, because the last claim may have ended with its process. */
  isResend?: true;
}

export interface OutcomeRules {
  acceptIsDelivery: boolean;
  ambiguousMs: number;
  retryMs: number;
  random: () => number;
}

interface DeliveryProgress {
  recipient: string;
  attempts: number;
  /** How often it was sent again after an attempt with an unknown outcome. That of a HELD one is counted when it is held, before the resend. */
  resends: number;
  windowAgeMs: number;
  ageMs: number;
  waitsForNextPeriod: boolean;
  windowIsOver: boolean;
}

interface AmbiguousDelivery {
  policy: 'resend' | 'hold';
  claims: number;
  resends: number;
  windowIsOver: boolean;
}

interface FailedAttempt {
  attempt: Attempt;
  delivery: DeliveryProgress;
  rules: OutcomeRules;
  error: string | null;
  failureKind: FailureKind | null;
}

const retryLaterMs = 60_000;
/** The event that announces a new project may still be on its way. */
const newProjectMs = 500;
const dayMs = 86_400_000;
/** Resuming or cancelling the campaign makes its mail due at once. */
const pausedCampaignMs = 3_600_000;
/** A message that waits for an allowance is given up after the longest month. */
const longestWaitMs = 32 * dayMs;
const warmingUp = 'The sending domain is new, and has sent what it may today';
const usedUp = 'The sending allowance of the project is used up';
/** A message whose outcome stays unknown is sent again this often at most. */
const maxResends = 1;
const endedItsProcess = `The message was given up: ${maxClaims} times the process that worked on it ended`;
const nothing = {
  delayMs: 0,
  countsAsAttempt: false,
  suppress: false,
  attempt: null,
  error: null,
  failureKind: null,
  events: [],
};

export function outcomeOf(attempt: Attempt, progress: DeliveryProgress, rules: OutcomeRules): Outcome {
  const { attemptClass, failureKind = null, suppress } = classify(attempt);
  const error = errorText(attempt);
  const tried = { ...nothing, attempt, countsAsAttempt: true };
  switch (attemptClass) {
    case 'accepted':
      return {
        ...tried,
        state: 'SENT',
        status: rules.acceptIsDelivery ? 'DELIVERED' : 'SENT',
        events: deliveredEvents(rules.acceptIsDelivery),
      };
    case 'retry':
      return retryOrGiveUp({ attempt, delivery: progress, rules, error, failureKind });
    case 'provider_fault':
      return afterProviderFault({ attempt, delivery: progress, rules, error, failureKind });
    case 'bounced':
      return {
        ...tried,
        state: 'BOUNCED',
        status: 'BOUNCED',
        failureKind: 'hard_bounce',
        error,
        suppress,
        events: bouncedEvents(
          progress.recipient,
          { reason: error, diagnostic: diagnosticOf(attempt) },
          suppress,
        ),
      };
    case 'failed':
      return { ...tried, ...failure('provider_rejected', error), attempt, countsAsAttempt: true };
    case 'ambiguous':
      return { ...tried, state: 'AMBIGUOUS', status: null, error, delayMs: rules.ambiguousMs };
    default:
      return assertUnreachable(attemptClass);
  }
}

/** Of a delivery that the mark kept from its hand-off; null where another worker has it. */
export function outcomeOfRefusedMark(
  { decision, delayMs, hasTurn }: Omit<Mark, 'slot' | 'decision'> & { decision: Exclude<MarkDecision, 'ok'> },
  progress: DeliveryProgress,
): Outcome | null {
  switch (decision) {
    case 'claim_lost':
      return null;
    case 'campaign_cancelled':
      return cancelledWithCampaign();
    case 'quiet_hours':
    case 'campaign_paused':
      return { ...retryLater(delayMs ?? pausedCampaignMs), waitsForNextPeriod: true };
    case 'expired':
      return outcomeOfExpiry(progress);
    case 'suppressed':
      return failure('suppressed', 'The address is suppressed');
    case 'unsubscribed':
      return failure('unsubscribed', 'The recipient has unsubscribed from marketing mail');
    case 'frequency_cap':
      return failure('frequency_cap', 'The recipient has had as much marketing mail as the project allows');
    case 'quota':
      return delayMs === null
        ? failure('quota_exhausted', usedUp)
        : waitForNextPeriod(usedUp, delayMs, progress);
    case 'warming_up':
      return waitForNextPeriod(warmingUp, delayMs ?? dayMs, progress);
    case 'slowed':
      return { ...retryLater(delayMs ?? retryLaterMs), hasTurn };
    case 'disabled':
      return progress.windowIsOver ? failure('project_disabled', 'The project is disabled') : retryLater();
    case 'unknown_project':
      return progress.windowIsOver
        ? failure('project_disabled', 'The project is not known')
        : retryLater(newProjectMs);
    default:
      return assertUnreachable(decision);
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
    events: [{ event: emailEvents.failed, payload: { failureKind, reason } }],
  };
}

const cancelledWithCampaign = (): Outcome => ({
  ...nothing,
  state: 'CANCELLED',
  status: 'CANCELLED',
  failureKind: 'cancelled',
  error: 'The campaign was cancelled',
  events: [{ event: emailEvents.cancelled, payload: {} }],
});

export const outcomeOfUncomposed = (failureKind: FailureKind, error: string): Outcome => ({
  ...failure(failureKind, error),
  ...(failureKind === 'rendering' ? { status: 'RENDERING_FAILURE' as const } : {}),
});

/** The mark is too old: the message is queued at once, and is claimed, composed and marked anew. */
export const requeueNow = (): Outcome => ({ ...nothing, state: 'QUEUED', status: null });

const unconfirmedAfterDeaths = (when: string): Outcome =>
  failure('delivery_unconfirmed', `${endedItsProcess} ${when}; the mail server may have taken it`);

/** A delivery that stayed ambiguous for its grace period: sent again once at most, or failed, by the policy of its lane. */
export function outcomeOfAmbiguity({ policy, claims, resends, windowIsOver }: AmbiguousDelivery): Outcome {
  if (claims >= maxClaims) return unconfirmedAfterDeaths('while it was handed over');
  if (policy === 'resend' && resends < maxResends && !windowIsOver)
    return { ...requeueNow(), isResend: true };
  return failure(
    'delivery_unconfirmed',
    resends > 0 && policy === 'resend'
      ? 'The mail server may have taken the message, which was sent twice; it is not sent a third time'
      : 'The mail server may have taken the message; it was not sent again',
  );
}

/** The failure kinds of the API for a message whose delivery window is over: what the last attempt showed decides. */
function outcomeOfExpiry({ attempts, resends }: DeliveryProgress): Outcome {
  if (resends > 0)
    return failure('delivery_unconfirmed', 'The mail server may have taken the message; its day is over');
  if (attempts > 0) return failure('provider_unavailable', 'No attempt succeeded within a day');
  return failure('expired', 'The message could not be handed over within a day');
}

export const outcomeOfTooManyClaims = ({ resends }: Pick<DeliveryProgress, 'resends'>): Outcome =>
  resends > 0
    ? failure(
        'delivery_unconfirmed',
        `${endedItsProcess} after a hand-off; the mail server may have taken it`,
      )
    : failure('rendering', `${endedItsProcess} before it could be handed over`);

/** A provider outage is not the message's fault, so its retry delay does not grow. */
function afterProviderFault(failed: FailedAttempt): Outcome {
  const outcome = retryOrGiveUp({ ...failed, delivery: { ...failed.delivery, attempts: 0 } });
  return { ...outcome, countsAsAttempt: false };
}

function retryOrGiveUp({ attempt, delivery, rules, error, failureKind }: FailedAttempt): Outcome {
  const decision = nextRetry({
    attempts: delivery.attempts + 1,
    windowAgeMs: delivery.windowAgeMs,
    random: rules.random,
    firstMs: rules.retryMs,
  });
  if (!decision.retry || delivery.windowIsOver)
    return { ...failure('provider_unavailable', error), attempt, countsAsAttempt: true };
  return {
    ...nothing,
    state: 'QUEUED',
    status: 'PENDING',
    failureKind,
    error,
    delayMs: decision.delayMs,
    countsAsAttempt: true,
    attempt,
  };
}

/** Becomes a row of the history only where nothing of this kind kept it back before. */
function waitForNextPeriod(
  why: string,
  delayMs: number,
  { ageMs, waitsForNextPeriod }: DeliveryProgress,
): Outcome {
  if (ageMs + delayMs > longestWaitMs)
    return failure('quota_exhausted', `${why}; the message has waited for a month`);
  return {
    ...nothing,
    state: 'QUEUED',
    status: waitsForNextPeriod ? null : 'PENDING',
    failureKind: 'quota_exhausted',
    error: `${why}; the message waits`,
    delayMs,
    waitsForNextPeriod: true,
  };
}

const retryLater = (delayMs = retryLaterMs): Outcome => ({
  ...nothing,
  state: 'QUEUED',
  status: null,
  delayMs,
});

function deliveredEvents(delivered: boolean): Outcome['events'] {
  return [
    { event: emailEvents.sent, payload: {} },
    ...(delivered ? [{ event: emailEvents.delivered, payload: {} }] : []),
  ];
}

function bouncedEvents(
  recipient: string,
  { reason, diagnostic }: { reason: string | null; diagnostic: string | null },
  suppress: boolean,
): Outcome['events'] {
  const payload = { bounceType: 'Permanent', refused: true, reason, diagnostic };
  const bounced = { event: emailEvents.bounced, payload };
  return suppress
    ? [bounced, { event: suppressionEvents.added, payload: { email: recipient, reason: 'HARD_BOUNCE' } }]
    : [bounced];
}

/** What the server said, with its codes. */
const replyText = ({ reply }: Attempt): string | null =>
  reply ? [reply.code, reply.enhanced, reply.text].filter(Boolean).join(' ') : null;

const diagnosticOf = (attempt: Attempt): string | null => {
  const text = replyText(attempt);
  return text && boundedText(text, maxErrorText);
};

function errorText(attempt: Attempt): string | null {
  const { stage, error } = attempt;
  const text = replyText(attempt) ?? error;
  return text ? boundedText(`${stage}: ${text}`, maxErrorText) : null;
}
