import { JoinFields, PickFields } from './shapes.js';
import type { Mailbox } from './address.js';
import { request, fact } from './contract.js';
import { DomainError, invalidMember } from './errors.js';
import {
  Address,
  Addresses,
  Choice,
  Count,
  Flag,
  FreeMap,
  Id,
  Instant,
  Line,
  ListOf,
  MailboxOf,
  Mailboxes,
  Nested,
  Nullable,
  Optional,
  StringMap,
  Text,
  Texts,
} from './fields.js';
import { IdempotencyClaim } from './idempotency.js';
import { PageEnd, PageQuery } from './page.js';

/** Delivery lifecycle only (contract.md §3); opens, clicks and complaints are told apart from it. */
export const emailStatuses = [
  'PENDING', 'SENDING', 'SENT', 'DELIVERED', 'DELIVERY_DELAY', 'BOUNCED', 'FAILED', 'REJECTED', 'RENDERING_FAILURE', 'CANCELLED', 'RECEIVED',
] as const; // prettier-ignore
export type EmailStatus = (typeof emailStatuses)[number];

/** Why an e-mail was not delivered (contract.md §3); also the reason in a campaign's failure ledger. */
export const failureKinds = [
  'suppressed', 'unsubscribed', 'invalid_recipient', 'rendering', 'domain_unverified', 'quota_exhausted', 'provider_paused', 'provider_rejected',
  'provider_unavailable', 'hard_bounce', 'expired', 'cancelled', 'project_disabled', 'delivery_unconfirmed',
] as const; // prettier-ignore
export type FailureKind = (typeof failureKinds)[number];

/** What arrives at `POST /emails`, whichever surface: the content and the sender. */
export class EmailContent {
  /** The sender; without it the project's default domain supplies one. Its domain must be verified (422 `/from`). */
  @MailboxOf() @Optional() from?: Mailbox;
  @Line(1, 998) subject: string;
  /** HTML, ≤ 15 MiB with the whole request. */
  @Text(1, 15 * 1024 * 1024) body: string;
  /** Plain text; derived from the HTML when absent. */
  @Text(1, 15 * 1024 * 1024) @Optional() text?: string;
  @MailboxOf({ legacyAliases: ['reply'] }) @Optional() replyTo?: Mailbox;
  /** `X-*`, `References`, `In-Reply-To`; headers that the service owns are refused (guarantees.md §6). */
  @StringMap({ max: 50, itemMax: 998, oneLine: true, pattern: /^(x-[a-z0-9-]+|references|in-reply-to)$/i }) @Optional() headers?: Record<
    string,
    string
  >;
  @Texts(0, 10, 64, { pattern: /^[A-Za-z0-9_-]{1,64}$/ }) @Optional() tags?: string[];
  /** Kept on the e-mail and repeated in its events. */
  @StringMap({ max: 20, itemMax: 500 }) @Optional() metadata?: Record<string, string>;
}

class OneRecipient {
  @MailboxOf() to: Mailbox;
}

class SomeRecipients {
  @Mailboxes(1, 50) to: Mailbox[];
}

/** `POST /api/v1/emails`: exactly one recipient. */
export class SendEmail extends JoinFields(OneRecipient, EmailContent) {}

/** `POST /api/emails`: one e-mail row for each recipient. */
export class SendEmails extends JoinFields(SomeRecipients, EmailContent) {}

export class SendReceipt {
  @Id() id: string;
  @Choice(emailStatuses) status: EmailStatus;
  @Address() to: string;
  /** The sender actually used. */
  @Address() from: string;
}

export class ContactRef {
  @Id() id: string;
  @Address() email: string;
}

export class LegacySend {
  @Nested(() => ContactRef) contact: ContactRef;
  @Id() email: string;
}

/** The legacy answer to a send. */
export class LegacySendReceipt {
  @ListOf(() => LegacySend, 1, 50) emails: LegacySend[];
  @Instant() timestamp: Date;
}

/** One row to be: the gateway mints the id, so that it can void it. */
export class AcceptRecipient {
  @Id() id: string;
  @MailboxOf() to: Mailbox;
  @Id() @Optional() contactId?: string;
}

export class AcceptEmails extends EmailContent {
  @ListOf(() => AcceptRecipient, 1, 50) recipients: AcceptRecipient[];
  @Nested(() => IdempotencyClaim) @Optional() idempotency?: IdempotencyClaim;
}

export class AcceptedEmail {
  @Id() id: string;
  @Address() to: string;
  @Address() from: string;
  @Id() @Nullable() contactId: string | null;
}

/** What was committed; a repeat of an idempotency key answers the same again, to the byte. */
export class AcceptedEmails {
  @ListOf(() => AcceptedEmail, 1, 50) emails: AcceptedEmail[];
  @Instant() acceptedAt: Date;
}

/** What can be said of a send before anything is stored for it. */
export class CheckSend {
  @MailboxOf() @Optional() from?: Mailbox;
  /** Whom a TEST key writes to; of other callers nobody asks. */
  @Addresses(1, 50) @Optional() to?: string[];
  @Nested(() => IdempotencyClaim) @Optional() idempotency?: IdempotencyClaim;
}

export class CheckedSend {
  /** The receipt, where the key has finished already. */
  @Nested(() => AcceptedEmails) @Nullable() accepted: AcceptedEmails | null;
}

export class SettleSend {
  @ListOf(() => AcceptRecipient, 1, 50) recipients: AcceptRecipient[];
}

/** What became of a send whose answer never came. */
export class SettledSend {
  @Choice(['VOIDED', 'ACCEPTED']) outcome: 'VOIDED' | 'ACCEPTED';
  @Nested(() => AcceptedEmails) @Nullable() accepted: AcceptedEmails | null;
}

export class EmailEvent {
  @Id() id: string;
  @Choice(emailStatuses) status: EmailStatus;
  @Instant() timestamp: Date;
  @Address() recipient: string;
  /** What the mail server answered, where it did. */
  @Text(0, 2000) @Nullable() detail: string | null;
}

export class Email {
  @Id() id: string;
  @Id({ legacyOnly: true }) projectId: string;
  @Address() from: string;
  @Address() to: string;
  @Text(0, 998) subject: string;
  @Choice(emailStatuses) status: EmailStatus;
  @Choice(failureKinds) @Nullable() failureKind: FailureKind | null;
  @Text(0, 2000) @Nullable() error: string | null;
  @Id() @Nullable() contactId: string | null;
  @Texts(0, 10, 64) tags: string[];
  @FreeMap() metadata: Record<string, string>;
  @Instant() @Nullable() sentAt: Date | null;
  @Instant() @Nullable() deliveredAt: Date | null;
  @Instant() @Nullable() bouncedAt: Date | null;
  @Instant() @Nullable() openedAt: Date | null;
  @Instant() @Nullable() clickedAt: Date | null;
  @Instant() @Nullable() complainedAt: Date | null;
  @Count() opens: number;
  @Count() clicks: number;
  @Instant() createdAt: Date;
  @Instant() updatedAt: Date;
}

export class EmailWithEvents extends Email {
  /** Delivery history, oldest first. */
  @ListOf(() => EmailEvent, 0, 10_000) events: EmailEvent[];
}

export class EmailFilter {
  @Text(1, 64, { pattern: /^[A-Za-z0-9_-]+$/ }) @Optional() tag?: string;
  @Choice(emailStatuses) @Optional() status?: EmailStatus;
  @Address() @Optional() from?: string;
  @Address() @Optional() to?: string;
  @Instant() @Optional() createdAfter?: Date;
  @Instant() @Optional() createdBefore?: Date;
}

export class ListEmails extends JoinFields(PageQuery, EmailFilter) {}

export class EmailPage extends PageEnd {
  @ListOf(() => Email, 0, 100) items: Email[];
}

export class EmailId extends PickFields(Email, ['id']) {}

export const emails = {
  /** Claim, row, content and fact in one commit; errors: `validation_error` (`/from`), `conflict`, `idempotency_key_reused`. */
  accept: request('sending.emails.accept', AcceptEmails, AcceptedEmails, { batch: true }),
  /** Refuses what `accept` would refuse for its sender or its key, so that nothing is made for it elsewhere first. */
  check: request('sending.emails.check', CheckSend, CheckedSend),
  /** Voids a send with an unknown outcome, or tells what it became (guarantees.md G2). */
  settle: request('sending.emails.settle', SettleSend, SettledSend),
  list: request('sending.emails.list', ListEmails, EmailPage),
  get: request('sending.emails.get', EmailId, EmailWithEvents),
  /** 409 `conflict` once past PENDING. */
  cancel: request('sending.emails.cancel', EmailId, Email),
};

/** The members that every e-mail fact has. */
class EmailFactBase {
  @Id() emailId: string;
  @Address() to: string;
  @Instant() at: Date;
  @Choice(['TRANSACTIONAL', 'CAMPAIGN', 'WORKFLOW', 'INBOUND']) sourceType: 'TRANSACTIONAL' | 'CAMPAIGN' | 'WORKFLOW' | 'INBOUND';
}

export class EmailAccepted extends EmailFactBase {
  @Address() from: string;
  @Id() @Nullable() contactId: string | null;
}

export class EmailFact extends EmailFactBase {}

export class EmailBounced extends EmailFactBase {
  @Choice(['Permanent', 'Transient']) bounceType: 'Permanent' | 'Transient';
  @Text(0, 2000) @Nullable() reason: string | null;
}

export class EmailFailed extends EmailFactBase {
  @Choice(failureKinds, { open: true }) failureKind: FailureKind;
  @Text(0, 2000) @Nullable() reason: string | null;
}

export class EmailEngaged extends EmailFactBase {
  @Text(0, 2048) @Nullable() link: string | null;
  @Flag() isFirst: boolean;
  @Flag() isMachine: boolean;
}

export const emailFacts = {
  accepted: fact('sending.email.accepted', EmailAccepted, 'An e-mail was accepted and committed; it will be handed over.'),
  sent: fact('sending.email.sent', EmailFact, 'The mail server took the message.'),
  delivered: fact('sending.email.delivered', EmailFact, 'The message was delivered, as far as the provider tells.'),
  delayed: fact('sending.email.delayed', EmailFact, 'The provider reports a delay; it goes on trying.'),
  bounced: fact('sending.email.bounced', EmailBounced, 'The message came back. Only Permanent counts towards the bounce rate.'),
  failed: fact('sending.email.failed', EmailFailed, 'The message was given up before or at the provider, with the reason.'),
  cancelled: fact('sending.email.cancelled', EmailFact, 'The message was cancelled before any hand-off.'),
  opened: fact('sending.email.opened', EmailEngaged, 'The tracking pixel was fetched.'),
  clicked: fact('sending.email.clicked', EmailEngaged, 'A tracked link was followed.'),
  complained: fact('sending.email.complained', EmailFact, 'The recipient marked the message as spam.'),
  received: fact('sending.email.received', EmailFact, 'A message arrived at a receiving domain.'),
};

export const emailNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such email');
export const emailNotPending = () => new DomainError('conflict', 'conflict', 'The email is past PENDING and cannot be cancelled');
export const senderNotVerified = () => invalidMember(['from'], 'not_verified', 'is not of a verified domain of this project');
const confined = (reason: string) => new DomainError('forbidden', 'scope_missing', reason);
export const outsideSandbox = () => confined('A TEST key sends only from the sandbox address of its project');
export const recipientOutsideSandbox = () => confined('A TEST key sends only to verified addresses of the owners and to the simulator');
export const outsideDomain = () => confined('The key sends only from the domain that it is confined to');
export const senderMissing = () => invalidMember(['from'], 'required', 'is required: the project has no default sending domain');
