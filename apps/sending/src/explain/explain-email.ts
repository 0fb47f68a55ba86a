import type {
  EmailExplanation,
  EmailStatus,
  ExplainedAttempt,
  ExplainedEvent,
  FailureKind,
} from '@posthorn/contracts';
import { anyDestination } from '../pacing/destination.js';
import { explainChecks } from './explain-checks.js';
import type { ExplainedDelivery, ExplainedHistory, ExplainedRow } from './explained.read-model.js';
import {
  credentialText,
  eventTitles,
  failureTexts,
  instantText,
  sourceNames,
  waitsForNextPeriodText,
} from './sentences.js';

export interface Recorded {
  row: ExplainedRow;
  history: ExplainedHistory[];
  deliveries: ExplainedDelivery[];
}

export function explainEmail({ row, history, deliveries }: Recorded): EmailExplanation {
  const main = deliveries.find(({ position }) => position === 0);
  const status = statusOf(row, main);
  const attempts = history.filter(({ stage }) => stage !== null);
  const attemptsOfMain = attempts.filter(({ recipient }) => recipient === main?.recipient);
  return {
    id: row.id,
    status,
    summary: summaryOf(row, status, history),
    waitsFor: waitsFor(row, status, main),
    timeline: [acceptedEvent(row), ...history.map((event) => timelineEvent(event))],
    checks: explainChecks(row, main, attemptsOfMain.length),
    attempts: attemptsOf(attempts, deliveries),
  };
}

const statusOf = ({ status }: ExplainedRow, delivery: ExplainedDelivery | undefined): EmailStatus =>
  status === 'PENDING' && (delivery?.state === 'HANDOFF' || delivery?.state === 'AMBIGUOUS')
    ? 'SENDING'
    : status;

const statusTexts: Readonly<Record<EmailStatus, string>> = {
  PENDING: 'It is accepted and has not been handed to the mail server yet.',
  SENDING: 'It is being handed to the mail server.',
  SENT: 'The mail server took it. Whether it arrived is not reported yet.',
  DELIVERED: 'It was delivered.',
  DELIVERY_DELAY: 'The provider could not deliver it yet and continues to try.',
  BOUNCED: 'It bounced: the server of the recipient refused it for good.',
  FAILED: 'It was not sent.',
  REJECTED: 'The provider took it and then refused to send it on.',
  RENDERING_FAILURE: 'It was not sent, because its template could not be rendered.',
  CANCELLED: 'It was cancelled before it was handed to the mail server.',
  RECEIVED: 'It was received.',
};

function summaryOf(
  { failureKind, error, complainedAt }: ExplainedRow,
  status: EmailStatus,
  history: ExplainedHistory[],
): string {
  const cause = causeOf(status, failureKind);
  const last = history.findLast((event) => event.status === status && event.detail !== null)?.detail;
  const said = error ?? (status === 'DELIVERY_DELAY' ? last : null);
  const sentences = [
    cause,
    ...(said ? [`Recorded: ${said.replace(/\.$/, '')}.`] : []),
    ...(complainedAt ? [`Its reader reported it as spam on ${instantText(complainedAt)}.`] : []),
  ];
  return sentences.join(' ');
}

function causeOf(status: EmailStatus, failureKind: FailureKind | null): string {
  if (status === 'REJECTED' || failureKind === null) return statusTexts[status];
  return status === 'PENDING' && failureKind === 'quota_exhausted'
    ? waitsForNextPeriodText
    : failureTexts[failureKind];
}

function waitsFor(
  row: ExplainedRow,
  status: EmailStatus,
  delivery: ExplainedDelivery | undefined,
): string | null {
  if (status === 'SENT' || status === 'DELIVERY_DELAY')
    return 'A report of the provider; it may take days, or never come.';
  if (!delivery) return null;
  switch (delivery.state) {
    case 'HELD':
      return 'An operator, who releases or drops what became overdue during an outage.';
    case 'HANDOFF':
      return 'The answer of the mail server.';
    case 'AMBIGUOUS':
      return `A report of the provider until ${instantText(delivery.dueAt)}, because the connection was lost before the answer.`;
    case 'CLAIMED':
      return 'A free connection to the mail server.';
    case 'QUEUED':
      return queuedFor(row, delivery);
    default:
      return null;
  }
}

function queuedFor(
  { scheduledAt, failureKind }: ExplainedRow,
  { decision, isDue, dueAt, attempts, waitsForNextPeriod, slowDestination }: ExplainedDelivery,
): string {
  if (decision === 'disabled') return 'The project to be enabled, for a day at most.';
  if (decision === 'campaign_paused') return 'Its campaign, which is paused, to be resumed.';
  if (decision === 'quiet_hours')
    return 'The end of the quiet hours of its campaign, where the recipient is.';
  if (decision === 'campaign_cancelled') return 'To be cancelled with its campaign, within an hour.';
  if (waitsForNextPeriod)
    return `The allowance of the next day or month, which begins ${instantText(dueAt)}.`;
  if (slowDestination)
    return `Its turn: ${slowDestination === anyDestination ? 'the mail server' : slowDestination} asked for less mail, and gets it more slowly for a while.`;
  if (isDue) return 'Its turn: it is due, and others are before it or the rate is limited.';
  if (scheduledAt && attempts === 0 && failureKind === null)
    return `Its scheduled time, ${instantText(dueAt)}.`;
  if (failureKind === 'provider_paused')
    return `The mail server, which is tried again at ${instantText(dueAt)}.`;
  return `Its next attempt at ${instantText(dueAt)}.`;
}

function acceptedEvent({ createdAt, acceptedBy, templateId, templateVersion }: ExplainedRow): ExplainedEvent {
  const from = templateId
    ? `rendered from version ${templateVersion ?? '?'} of the template ${templateId}`
    : null;
  const detail = [credentialText(acceptedBy), from].filter(Boolean).join(', ');
  return { at: createdAt, kind: 'ACCEPTED', title: 'Accepted', detail: detail || null, source: 'Posthorn' };
}

const attemptTitles: Readonly<Partial<Record<EmailStatus, string>>> = {
  PENDING: 'Refused for now; it is tried again',
  SENDING: 'Nobody knows the answer of the mail server',
  SENT: 'The mail server took it',
  DELIVERED: 'The mail server took it',
  BOUNCED: 'The mail server refused it for good',
  FAILED: 'It was given up',
  RENDERING_FAILURE: 'It could not be rendered',
  CANCELLED: 'Cancelled',
};

function timelineEvent({ at, status, kind, source, detail, stage }: ExplainedHistory): ExplainedEvent {
  if (kind)
    return { at, kind, title: eventTitles[kind], detail, source: source ? sourceNames[source] : 'provider' };
  return {
    at,
    kind: stage ? 'ATTEMPT' : status,
    // A PENDING that no attempt led to: it waits for an allowance, or its process died.
    title: stage === null && status === 'PENDING' ? 'It waits' : (attemptTitles[status] ?? status),
    detail,
    source: 'Posthorn',
  };
}

const verdicts: Readonly<Partial<Record<EmailStatus, ExplainedAttempt['verdict']>>> = {
  PENDING: 'REFUSED_FOR_NOW',
  SENDING: 'UNKNOWN',
  SENT: 'ACCEPTED',
  DELIVERED: 'ACCEPTED',
};

function attemptsOf(attempts: ExplainedHistory[], deliveries: ExplainedDelivery[]): ExplainedAttempt[] {
  const lastOf = new Map(attempts.map((event) => [event.recipient, event]));
  const queued = new Map(
    deliveries.filter(({ state }) => state === 'QUEUED').map(({ recipient, dueAt }) => [recipient, dueAt]),
  );
  return attempts.map((event) => {
    const isLast = lastOf.get(event.recipient) === event;
    return attemptOf(event, isLast ? (queued.get(event.recipient) ?? null) : null);
  });
}

function attemptOf(event: ExplainedHistory, nextAt: Date | null): ExplainedAttempt {
  const { at, recipient, host, tls, stage, detail, replyCode, durationMs, status } = event;
  return {
    at,
    recipient,
    provider: host === 'simulator.posthorn.test' ? 'simulator' : 'smtp',
    host,
    tls,
    stage,
    reply: detail ?? (replyCode === null ? null : String(replyCode)),
    durationMs,
    verdict: verdicts[status] ?? 'REFUSED',
    nextAt,
  };
}
