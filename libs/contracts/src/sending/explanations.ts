import { DomainError } from '../common/errors.js';
import { query } from '../schema/contract.js';
import { emailCategories, type EmailCategory } from './domains.js';
import { emailStatuses, type EmailStatus } from './email-status.js';
import { EmailId } from './emails.js';
import { Address, Choice, Count, Flag, Instant, ListOf, Nullable, Text } from '../schema/fields.js';
import { suppressionReasons, type SuppressionReason } from './suppressions.js';
import { AcceptSend } from './sends.js';

export class ExplainedEvent {
  @Instant() at: Date;
  /** `ACCEPTED`, `ATTEMPT`, a delivery status, or the kind of a provider's event. */
  @Text(1, 64) kind: string;
  @Text(1, 300) title: string;
  @Text(0, 2_000) @Nullable() detail: string | null;
  @Text(1, 64) source: string;
}

export const checkNames = [
  'sender', 'project', 'campaign', 'suppression', 'unsubscribe', 'frequency', 'allowance', 'window', 'schedule', 'provider',
] as const; // prettier-ignore
export type CheckName = (typeof checkNames)[number];

export class ExplainedCheck {
  @Choice(checkNames, { open: true }) name: CheckName;
  /** `WAITING`: the message goes on as soon as this changes. */
  @Choice(['PASSED', 'FAILED', 'WAITING']) outcome: 'PASSED' | 'FAILED' | 'WAITING';
  @Text(0, 1_000) detail: string;
}

export class ExplainedAttempt {
  @Instant() at: Date;
  @Address() recipient: string;
  @Text(1, 64) provider: string;
  @Text(0, 255) @Nullable() host: string | null;
  @Flag() @Nullable() tls: boolean | null;
  /** The SMTP command that the attempt ended with, such as `rcpt` or `dot`. */
  @Text(1, 64) @Nullable() stage: string | null;
  @Text(0, 2_000) @Nullable() reply: string | null;
  @Count() @Nullable() durationMs: number | null;
  @Choice(['ACCEPTED', 'REFUSED', 'REFUSED_FOR_NOW', 'UNKNOWN']) verdict:
    'ACCEPTED' | 'REFUSED' | 'REFUSED_FOR_NOW' | 'UNKNOWN';
  /** When it is tried again; null where it is not. */
  @Instant() @Nullable() nextAt: Date | null;
}

export class EmailExplanation extends EmailId {
  @Choice(emailStatuses) status: EmailStatus;
  @Text(1, 2_000) summary: string;
  /** What the email waits for now; null where nothing more is to come. */
  @Text(1, 1_000) @Nullable() waitsFor: string | null;
  @ListOf(() => ExplainedEvent, 0, 2_000) timeline: ExplainedEvent[];
  @ListOf(() => ExplainedCheck, 0, 20) checks: ExplainedCheck[];
  @ListOf(() => ExplainedAttempt, 0, 1_000) attempts: ExplainedAttempt[];
}

export class ExplainedRecipient {
  @Address() email: string;
  @Flag() wouldSend: boolean;
  @Text(1, 1_000) reason: string;
}

export class SendExplanation {
  /** Whether the request would be accepted; a refused one is answered with its error instead. */
  @Flag() accepted: boolean;
  @Text(1, 2_000) summary: string;
  @ListOf(() => ExplainedCheck, 0, 20) checks: ExplainedCheck[];
  @ListOf(() => ExplainedRecipient, 1, 100) recipients: ExplainedRecipient[];
}

export class ExplainRecipient {
  @Address() email: string;
}

export class ExplainedCategory {
  @Choice(emailCategories) category: EmailCategory;
  @Flag() wouldSend: boolean;
  @Text(1, 1_000) reason: string;
  @Instant() @Nullable() since: Date | null;
}

export class RecipientExplanation extends ExplainRecipient {
  @Text(1, 2_000) summary: string;
  @Choice(suppressionReasons) @Nullable() suppressionReason: SuppressionReason | null;
  @Instant() @Nullable() suppressedSince: Date | null;
  @Instant() @Nullable() unsubscribedSince: Date | null;
  @ListOf(() => ExplainedCategory, 0, 10) categories: ExplainedCategory[];
}

export const addressUnreadable = () =>
  new DomainError('not_found', 'resource_not_found', 'The path has no e-mail address');

export const explanations = {
  /** 404 for an unknown e-mail. */
  email: query('sending.explanations.ofEmail', EmailId, EmailExplanation),
  /** The errors of `emails.accept`; nothing is stored. */
  send: query('sending.explanations.ofSend', AcceptSend, SendExplanation),
  recipient: query('sending.explanations.ofRecipient', ExplainRecipient, RecipientExplanation),
};
