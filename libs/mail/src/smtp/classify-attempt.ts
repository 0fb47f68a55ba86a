import { saysUnknownUser } from '../reports/bounce-text.js';
import type { Attempt, SmtpReply, SmtpStage } from './smtp-attempt.js';

export type AttemptClass = 'accepted' | 'retry' | 'provider_fault' | 'bounced' | 'failed' | 'ambiguous';
export type DeliveryFailureKind = 'provider_paused' | 'provider_rejected' | 'hard_bounce';

export interface Classification {
  attemptClass: AttemptClass;
  failureKind?: DeliveryFailureKind;
  suppress: boolean;
}

const deadMailbox = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.1']);
const deadMailboxWithoutEnhanced = new Set([550, 551, 553]);
// RFC 4954 §6, RFC 3207 §4: the server asks for AUTH or TLS; that does not concern the message.
const wantsAuthOrTls = new Set([530, 534, 535, 538]);

const blame: Record<SmtpStage, 'provider' | 'sender' | 'recipient'> = {
  connect: 'provider',
  greeting: 'provider',
  ehlo: 'provider',
  tls: 'provider',
  auth: 'provider',
  mail: 'sender',
  rcpt: 'recipient',
  data: 'recipient',
  body: 'recipient',
  dot: 'recipient',
};

export function classify(attempt: Pick<Attempt, 'verdict' | 'stage' | 'reply'>): Classification {
  switch (attempt.verdict) {
    case 'accepted':
      return { attemptClass: 'accepted', suppress: false };
    case 'ambiguous':
      return { attemptClass: 'ambiguous', suppress: false };
    case 'refused':
      return classifyRefusal(attempt.stage, attempt.reply);
    case 'refused_temporarily':
      return blame[attempt.stage] === 'provider' ? providerFault : { attemptClass: 'retry', suppress: false };
    case 'no_reply':
      return blame[attempt.stage] === 'provider' ? providerFault : { attemptClass: 'retry', suppress: false };
  }
}

const providerFault: Classification = {
  attemptClass: 'provider_fault',
  failureKind: 'provider_paused',
  suppress: false,
};

function classifyRefusal(stage: SmtpStage, reply: SmtpReply | undefined): Classification {
  const culprit = blame[stage];
  if (culprit === 'provider' || (culprit === 'sender' && wantsAuthOrTls.has(reply?.code ?? 0)))
    return providerFault;
  if (culprit === 'sender')
    return { attemptClass: 'failed', failureKind: 'provider_rejected', suppress: false };
  return {
    attemptClass: 'bounced',
    failureKind: 'hard_bounce',
    suppress: isDeadMailbox(stage, reply),
  };
}

function isDeadMailbox(stage: SmtpStage, reply: SmtpReply | undefined): boolean {
  if (reply === undefined) return false;
  if (reply.enhanced !== undefined) return deadMailbox.has(reply.enhanced);
  return stage === 'rcpt' && deadMailboxWithoutEnhanced.has(reply.code);
}

const genericStatus = /^[245]\.0\.0$/;

/** Whether a report says that the address does not exist (docs/api-decisions.md §3). It does not tell the
 * stage: without a specific enhanced code (RFC 3463), a reply code counts only with words that say so. */
export function isDeadAddress({
  statusCode,
  replyCode = 0,
  detail,
}: {
  statusCode: string | undefined;
  replyCode: number | undefined;
  detail: string;
}): boolean {
  if (statusCode !== undefined && !genericStatus.test(statusCode)) return deadMailbox.has(statusCode);
  return deadMailboxWithoutEnhanced.has(replyCode) && saysUnknownUser(detail);
}
