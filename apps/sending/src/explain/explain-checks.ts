import type { ExplainedCheck, FailureKind } from '@posthorn/contracts';
import type { Allowed } from '../allowances/usage.repository.js';
import type { ExplainedDelivery, ExplainedRow } from './explained.read-model.js';
import { instantText, suppressionTexts } from './sentences.js';

type Check = Omit<ExplainedCheck, 'outcome'> & {
  failedBy: readonly FailureKind[];
  isKeptBack: boolean;
  /** What is kept back by it fails when its turn comes. */
  isFinal?: boolean;
};

const open = new Set(['QUEUED', 'HELD', 'CLAIMED']);

/** The rules of the mark decide while the message waits, and the recorded cause once it has ended. */
export function explainChecks(
  row: ExplainedRow,
  delivery: ExplainedDelivery | undefined,
  attempts: number,
): ExplainedCheck[] {
  const isOpen = delivery !== undefined && open.has(delivery.state);
  return checksOf(row, delivery, attempts).map(({ failedBy, isKeptBack, isFinal = false, name, detail }) => {
    if (isOpen) return { name, outcome: isKeptBack ? (isFinal ? 'FAILED' : 'WAITING') : 'PASSED', detail };
    const hasFailed = row.failureKind !== null && failedBy.includes(row.failureKind);
    // What holds today says nothing about the time of the hand-off.
    return hasFailed
      ? { name, outcome: 'FAILED', detail: row.error ?? detail }
      : { name, outcome: 'PASSED', detail: 'It did not keep the message back' };
  });
}

const checksOf = (
  row: ExplainedRow,
  delivery: ExplainedDelivery | undefined,
  attempts: number,
  allowed = allowedOf(delivery),
): Check[] => [
  {
    name: 'sender',
    failedBy: ['domain_unverified'],
    isKeptBack: false,
    detail: `${row.from} was allowed to send at acceptance; the domain is checked again when the message is composed`,
  },
  ...recipientChecks(row, delivery),
  {
    name: 'allowance',
    failedBy: ['quota_exhausted'],
    isKeptBack: allowed !== null && isUsedUp(allowed),
    isFinal: allowed?.whenExhausted === 'FAIL',
    detail: allowanceText(allowed),
  },
  ...timeChecks(row, delivery, attempts),
  {
    name: 'provider',
    failedBy: ['provider_rejected', 'hard_bounce', 'delivery_unconfirmed'],
    isKeptBack: row.failureKind === 'provider_paused',
    detail: providerText(row, attempts),
  },
];

/** What was counted already, or is never counted, passes in any case. */
const allowedOf = (delivery: ExplainedDelivery | undefined): Allowed | null =>
  delivery && !delivery.isExempt
    ? { left: delivery.left, whenExhausted: delivery.whenExhausted ?? 'FAIL' }
    : null;

function providerText({ failureKind, error }: ExplainedRow, attempts: number): string {
  if (failureKind === 'provider_paused' && error) return error;
  if (attempts === 0) return 'It has not been tried yet';
  return attempts === 1 ? 'It has been tried once' : `It has been tried ${attempts} times`;
}

const isUsedUp = ({ left }: Allowed): boolean => left !== null && left <= 0;

export const allowanceOutcome = (allowed: Allowed): ExplainedCheck['outcome'] =>
  !isUsedUp(allowed) ? 'PASSED' : allowed.whenExhausted === 'HOLD' ? 'WAITING' : 'FAILED';

export const allowanceText = (allowed: Allowed | null): string => {
  if (!allowed || allowed.left === null) return 'The project has no limit';
  if (!isUsedUp(allowed)) return `${allowed.left} more messages are allowed in this day or month`;
  return allowed.whenExhausted === 'HOLD'
    ? 'The allowance is used up, and mail waits for the next day or month'
    : 'The allowance of this day or month is used up';
};

function recipientChecks({ category }: ExplainedRow, delivery: ExplainedDelivery | undefined): Check[] {
  const { decision, suppressionReason = null, suppressedSince = null, unsubscribedSince } = delivery ?? {};
  const unsubscribed = unsubscribedSince
    ? `Unsubscribed since ${instantText(unsubscribedSince)}`
    : 'The recipient has not unsubscribed';
  return [
    {
      name: 'project',
      failedBy: ['project_disabled'],
      isKeptBack: decision === 'disabled' || decision === 'unknown_project',
      detail: decision === 'disabled' ? 'The project is disabled' : 'The project is enabled',
    },
    ...campaignCheck(decision),
    {
      name: 'suppression',
      failedBy: ['suppressed', 'invalid_recipient'],
      isKeptBack: decision === 'suppressed',
      isFinal: true,
      detail:
        suppressionReason && suppressedSince
          ? `Suppressed since ${instantText(suppressedSince)}: ${suppressionTexts[suppressionReason]}`
          : decision === 'suppressed'
            ? 'The address is suppressed'
            : 'The address is not suppressed',
    },
    {
      name: 'unsubscribe',
      failedBy: ['unsubscribed'],
      isKeptBack: decision === 'unsubscribed',
      isFinal: true,
      detail:
        category === 'MARKETING'
          ? unsubscribed
          : 'Transactional mail is sent to people who have unsubscribed, too',
    },
    ...frequencyCheck(decision),
  ];
}

/** Only while it keeps the message back: few projects limit how often people get marketing mail. */
const frequencyCheck = (decision: ExplainedDelivery['decision'] | undefined): Check[] =>
  decision === 'frequency_cap'
    ? [
        {
          name: 'frequency',
          failedBy: ['frequency_cap'],
          isKeptBack: true,
          isFinal: true,
          detail: 'The recipient has had as much marketing mail as the project allows in these days',
        },
      ]
    : [];

const campaignTexts: Readonly<Record<string, string>> = {
  campaign_paused: 'The campaign is paused',
  campaign_cancelled: 'The campaign was cancelled',
  quiet_hours: 'These are quiet hours of the campaign where the recipient is',
};

/** Only while it keeps the message back: most mail belongs to no campaign. */
function campaignCheck(decision: ExplainedDelivery['decision'] | undefined): Check[] {
  const detail = campaignTexts[decision ?? ''];
  if (detail === undefined) return [];
  const isFinal = decision === 'campaign_cancelled';
  return [{ name: 'campaign', failedBy: ['cancelled'], isKeptBack: true, isFinal, detail }];
}

function timeChecks(
  { scheduledAt }: ExplainedRow,
  delivery: ExplainedDelivery | undefined,
  attempts: number,
): Check[] {
  const until = delivery
    ? `It is attempted until ${instantText(delivery.expiresAt)}`
    : 'Its attempts are no longer recorded';
  return [
    {
      name: 'schedule',
      failedBy: [],
      isKeptBack: scheduledAt !== null && delivery !== undefined && !delivery.isDue && attempts === 0,
      detail: scheduledAt ? `Scheduled for ${instantText(scheduledAt)}` : 'It is sent at once',
    },
    {
      name: 'window',
      failedBy: ['expired', 'provider_unavailable'],
      isKeptBack: delivery?.state === 'HELD',
      detail:
        delivery?.state === 'HELD'
          ? 'It was overdue after an outage and is held until an operator releases it'
          : until,
    },
  ];
}
