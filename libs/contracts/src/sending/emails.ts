import type { EmailStatus, FailureKind, SourceType } from './email-status.js';
import { emailStatuses, failureKinds, sourceTypes } from './email-status.js';
import { query, request, event } from '../schema/contract.js';
import type { EmailCategory } from './domains.js';
import { DomainError, invalid, invalidMember } from '../common/errors.js';
import {
  Address,
  Choice,
  Count,
  Flag,
  FreeMap,
  Id,
  Instant,
  ListOf,
  Nullable,
  Optional,
  StringMap,
  Text,
  Texts,
} from '../schema/fields.js';
import { PageEnd, PageQuery } from '../common/page.js';
import {
  AcceptBatch,
  AcceptedBatch,
  AcceptedEmails,
  AcceptSend,
  CheckedSend,
  CheckSend,
  SettledSend,
  SettleSend,
} from './sends.js';
import {
  providerEventKinds,
  providerSources,
  type ProviderEventKind,
  type ProviderSource,
} from './provider-events.js';
import { JoinFields, PickFields } from '../schema/shapes.js';
import { contentMissingText } from './sends.js';

/** The large providers of mailboxes, and everybody else. */
export const destinations = ['gmail', 'outlook', 'yahoo', 'icloud', 'other'] as const;
export type Destination = (typeof destinations)[number];

export class EmailEvent {
  @Id() id: string;
  @Choice(emailStatuses) status: EmailStatus;
  @Instant() timestamp: Date;
  @Address() recipient: string;
  @Text(0, 2000) @Nullable() detail: string | null;
  /** Who reported it, where it was not Posthorn's own hand-off. */
  @Choice(providerSources, { open: true }) @Nullable() source: ProviderSource | null;
  /** What a provider reported; it can say more than the status, such as `COMPLAINED`. */
  @Choice(providerEventKinds, { open: true }) @Nullable() kind: ProviderEventKind | null;
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
  @Id() @Nullable() campaignId: string | null;
  @Texts(0, 10, 64) tags: string[];
  @Instant() @Nullable() scheduledAt: Date | null;
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
  @ListOf(() => EmailEvent, 0, 10_000) events: EmailEvent[];
}

export class SentAttachment {
  @Text(1, 255) filename: string;
  @Text(1, 255) contentType: string;
  @Text(1, 128) @Nullable() contentId: string | null;
  @Choice(['attachment', 'inline']) disposition: 'attachment' | 'inline';
  @Count() size: number;
}

/** Kept for `RETENTION_CONTENTS_DAYS`. Bcc recipients are not included. */
export class SentContent {
  @Id() id: string;
  @Text(0, 998) subject: string;
  @Text(0, 16 * 1024 * 1024) html: string;
  @Text(0, 16 * 1024 * 1024) text: string;
  /** Header fields of the sent message, without those of its parts. */
  @StringMap({ max: 100, itemMax: 16_000 }) headers: Record<string, string>;
  @ListOf(() => SentAttachment, 0, 10) attachments: SentAttachment[];
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
  /** One commit; errors: `validation_error` (`/from`), `conflict`, `idempotency_key_reused`, `scope_missing`, `unavailable`. */
  accept: request('sending.emails.accept', AcceptSend, AcceptedEmails, { gathered: true }),
  /** Applies the checks of `accept` (sender, headers, template, sandbox, what a key is confined to, idempotency) before anything is created elsewhere. */
  check: query('sending.emails.check', CheckSend, CheckedSend),
  /** Voids a send with an unknown outcome, or returns its receipt (docs/guarantees.md G2). */
  settle: request('sending.emails.settle', SettleSend, SettledSend),
  /** One commit; each message is accepted or refused separately. A repeated key gets the same response. */
  acceptBatch: request('sending.emails.acceptBatch', AcceptBatch, AcceptedBatch),
  list: query('sending.emails.list', ListEmails, EmailPage),
  get: query('sending.emails.get', EmailId, EmailWithEvents),
  /** 404 also if the content is no longer retained. */
  content: query('sending.emails.content', EmailId, SentContent),
  /** Cancels a scheduled message; 409 `conflict` if it is not scheduled. */
  unschedule: request('sending.emails.unschedule', EmailId, EmailId),
  /** 409 `conflict` unless PENDING. */
  cancel: request('sending.emails.cancel', EmailId, Email),
};

class EmailEventBase {
  @Id() emailId: string;
  @Address() to: string;
  @Instant() at: Date;
  @Choice(sourceTypes) sourceType: SourceType;
}

/** Optional, because events of the previous release do not have it. */
class EmailEventDetails extends EmailEventBase {
  @Text(0, 998) @Optional() subject?: string;
  @Address() @Optional() from?: string;
  @Text(0, 998) @Nullable() @Optional() fromName?: string | null;
  /** The id that the provider gave to the message, where it is known. */
  @Text(1, 255) @Nullable() @Optional() providerMessageId?: string | null;
  @Id() @Nullable() @Optional() contactId?: string | null;
  @Id() @Nullable() @Optional() templateId?: string | null;
  @Id() @Nullable() @Optional() campaignId?: string | null;
  @FreeMap() @Optional() metadata?: Record<string, string>;
  @Texts(0, 10, 64) @Optional() tags?: string[];
  /** Whose mailbox it is; missing for all others. */
  @Choice(destinations, { open: true }) @Optional() destination?: Destination;
}

export class EmailAccepted extends EmailEventBase {
  @Address() from: string;
  @Id() @Nullable() contactId: string | null;
  @Id() @Nullable() @Optional() campaignId?: string | null;
}

export class EmailChangedEvent extends EmailEventDetails {}

export class EmailDelayed extends EmailEventDetails {
  @Text(0, 2000) @Nullable() reason: string | null;
}

export class EmailBounced extends EmailEventDetails {
  @Choice(['Permanent', 'Transient']) bounceType: 'Permanent' | 'Transient';
  /** Refused during the hand-off, so that there is no `sent` of it. */
  @Flag() @Optional() refused?: boolean;
  @Text(0, 2000) @Nullable() reason: string | null;
  /** What the server that refused it said, with its codes. */
  @Text(0, 2000) @Nullable() @Optional() diagnostic?: string | null;
}

export class EmailFailed extends EmailEventDetails {
  @Choice(failureKinds, { open: true }) failureKind: FailureKind;
  @Text(0, 2000) @Nullable() reason: string | null;
}

export class EmailEngaged extends EmailEventDetails {
  @Text(0, 2048) @Nullable() link: string | null;
  @Flag() isFirst: boolean;
  @Flag() isMachine: boolean;
  /** Opens of an open, clicks of a click, so far and by people. */
  @Count() @Optional() total?: number;
}

export const emailEvents = {
  accepted: event(
    'sending.email.accepted',
    EmailAccepted,
    'An e-mail was accepted and committed; it will be sent.',
  ),
  sent: event('sending.email.sent', EmailChangedEvent, 'The mail server accepted the message.'),
  delivered: event(
    'sending.email.delivered',
    EmailChangedEvent,
    'The message was delivered: the provider reported it, or the mail server accepted the message and no report is expected.',
  ),
  delayed: event(
    'sending.email.delayed',
    EmailDelayed,
    'The provider could not deliver the message yet and continues to try.',
  ),
  bounced: event(
    'sending.email.bounced',
    EmailBounced,
    'The message bounced. Only Permanent counts towards the bounce rate.',
  ),
  failed: event(
    'sending.email.failed',
    EmailFailed,
    'Sending failed permanently, before or at the provider; carries the reason.',
  ),
  cancelled: event(
    'sending.email.cancelled',
    EmailChangedEvent,
    'The message was cancelled before it was handed to the mail server.',
  ),
  opened: event('sending.email.opened', EmailEngaged, 'The tracking pixel was loaded.'),
  clicked: event('sending.email.clicked', EmailEngaged, 'A tracked link was opened.'),
  complained: event(
    'sending.email.complained',
    EmailChangedEvent,
    'The recipient reported the message as spam.',
  ),
  unsubscribed: event(
    'sending.email.unsubscribed',
    EmailChangedEvent,
    'The recipient unsubscribed by the link of the message.',
  ),
};

export const emailNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such email');
export const emailNotPending = () =>
  new DomainError('conflict', 'conflict', 'The email can be cancelled only while it is PENDING');
export const emailNotScheduled = () => new DomainError('conflict', 'conflict', 'The email is not scheduled');
export const contentNotRetained = () =>
  new DomainError('not_found', 'resource_not_found', 'The content of this email is no longer retained');
export const contentMissing = (...members: ('subject' | 'body')[]) =>
  invalid(members.map((name) => ({ path: [name], code: 'required', message: contentMissingText })));
export const tooManyRecipients = (member: 'cc' | 'bcc') =>
  invalidMember([member], 'too_long', 'brings the total above 50 recipients');
export const attachmentsTooLarge = () => invalidMember(['attachments'], 'too_long', 'exceed 10 MiB in total');
export const attachmentUnreadable = (index: number) =>
  invalidMember(['attachments', String(index), 'content'], 'invalid_format', 'must be complete base64');
export const controlHeadersRefused = (names: readonly string[]) =>
  invalid(
    names.map((name) => ({
      path: ['headers', name],
      code: 'not_allowed',
      message: `${name} controls the mail provider and is refused; leave it out, or ask the operator to list it in ALLOWED_CONTROL_HEADERS`,
    })),
  );
export const scheduledTooFar = () =>
  invalidMember(['scheduledAt'], 'out_of_range', 'must be at most 30 days ahead');
export const senderNotVerified = () =>
  invalidMember(['from'], 'not_verified', 'must use a verified domain of this project');
const confined = (reason: string) => new DomainError('forbidden', 'scope_missing', reason);
export const outsideSandbox = () =>
  confined('A TEST key can send only from the sandbox address of its project');
export const onlyTestFromSandbox = () => confined('Only a TEST key can send from the sandbox address');
export const recipientOutsideSandbox = () =>
  confined('A TEST key can send only to verified addresses of the owners and to the simulator');
export const outsideDomain = () => confined('The key can send only from the domain it is restricted to');
export const outsideTemplates = () => confined('The key can send only the templates that it is confined to');
export const ownContentRefused = () =>
  confined(
    'The key is confined to templates: sender, subject, body, text, reply address, headers and attachments come from the template and must be left out',
  );
export const recipientNotContact = () =>
  confined('The key can send only to subscribed contacts; each address of the message must be one');
export const outsideCategory = (category: EmailCategory) =>
  confined(`The sender's domain is for ${category.toLowerCase()} mail only`);
export const senderNotAligned = (domain: string) =>
  invalidMember(
    ['from'],
    'not_verified',
    `is refused by the strict DMARC policy of ${domain}: add this domain itself, or relax the policy to adkim=r`,
  );
export const senderMissing = () =>
  invalidMember(['from'], 'required', 'is required because the project has no default sending domain');
