import type { Mailbox } from '../schema/texts/address.js';
import { emailCategories, type EmailCategory } from './domains.js';
import type { Base64Text } from '../schema/texts/base64-text.js';
import { emailStatuses, type EmailStatus } from './email-status.js';
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
} from '../schema/fields.js';
import { IdempotentRequest } from '../common/idempotency.js';
import { AlsoRequired } from '../schema/required-members.js';
import { JoinFields, PickFields } from '../schema/shapes.js';

/** Recipients of one send in `to`, `cc` and `bcc` together (docs/api-decisions.md §3). */
export const maxRecipients = 50;
/** Decoded size of all files of one send (docs/api-decisions.md §1). */
export const maxAttachmentBytes = 10 * 1024 * 1024;
const maxAttachments = 10;
const maxBatch = 100;
export const maxScheduleDays = 30;

/** With parameters (RFC 2045 §5.1), which are written as they are, so ASCII. A multipart type names parts, which one file has not. */
const mediaType =
  /^(?!multipart\/)[a-z0-9!#$&^_.+-]{1,127}\/[a-z0-9!#$&^_.+-]{1,127}(?:\s*;\s*[a-z0-9!#$&^_.+*-]+=(?:[a-z0-9!#$%&'*+^_`|~./:-]+|"(?:(?!["\\])[ -~]|\\[ -~])*"))*\s*;?\s*$/i;
/** Any but those that Posthorn writes itself. */
const headerName =
  /^(?!(?:from|to|cc|bcc|subject|date|message-id|reply-to|return-path|received|sender|feedback-id|authentication-results|(?:mime|content|dkim|arc)-[a-z0-9-]*|list-unsubscribe[a-z0-9-]*)$)[a-z0-9-]+$/i;
/** No path separators, control or direction characters, which disguise a name (docs/guarantees.md §6). */
const fileName = /^[^/\\\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+$/u;

export class Attachment {
  @Line(1, 255, { pattern: fileName, example: 'invoice.pdf' }) filename: string;
  /** Base64 (RFC 4648 §4), not empty. All files of a message are limited to 10 MiB decoded. */
  @Text(1, 15 * 1024 * 1024, {
    pattern: /^[A-Za-z0-9+/\r\n]+(?:={1,2}[\r\n]*)?$/,
    base64: true,
    example: 'SGVsbG8=',
  })
  content: string | Base64Text;
  /** `application/octet-stream` by default. Parameters such as `method` and `charset` are kept; `name` is that of the file. */
  @Line(3, 255, { pattern: mediaType, example: 'application/pdf' }) @Optional() contentType?: string;
  /** Content id for `<img src="cid:logo">`; makes the file inline by default. */
  @Line(1, 128, { pattern: /^[A-Za-z0-9._@+-]+$/, example: 'logo' }) @Optional() contentId?: string;
  @Choice(['attachment', 'inline']) @Optional() disposition?: 'attachment' | 'inline';
}

/** Overrides the project's setting; `MARKETING_ONLY` cannot be widened (docs/api-decisions.md §3). */
export class TrackingChoice {
  @Flag() @Optional() opens?: boolean;
  @Flag() @Optional() clicks?: boolean;
}

export class EmailContent {
  /** By default that of the template or the default domain. Its domain must be verified (422 `/from`). The name is Liquid. */
  @MailboxOf() @Optional() from?: Mailbox;
  /** Liquid. Required without a template; overrides the template's. */
  @Line(1, 998) @Optional() subject?: string;
  /** HTML with Liquid; the whole request is limited to 15 MiB. Required without a template, unless `text` is given: a mail of
   * text alone has no HTML part. */
  @Text(1, 15 * 1024 * 1024) @Optional() body?: string;
  /** Plain text with Liquid; derived from the HTML by default. Opens and links of text are not tracked. */
  @Text(1, 15 * 1024 * 1024) @Optional() text?: string;
  /** The version current at acceptance is used (at most one second old). */
  @Id() @Optional() template?: string;
  /** Template variables; they override the contact's fields. At most 64 KiB of JSON. */
  @FreeMap({ max: 64 * 1024 }) @Optional() data?: Record<string, unknown>;
  /** Visible to all recipients; each receives a separate copy. */
  @Mailboxes(0, maxRecipients) @Optional() cc?: Mailbox[];
  /** Like `cc`, but not visible to anybody. */
  @Mailboxes(0, maxRecipients) @Optional() bcc?: Mailbox[];
  @MailboxOf({ legacyAliases: ['reply'] }) @Optional() replyTo?: Mailbox;
  /** Refused: headers that Posthorn writes itself (`From`, `To`, `Cc`, `Bcc`, `Subject`, `Date`, `Message-ID`, `Reply-To`, `Sender`,
   * `Return-Path`, `Received`, `MIME-*`, `Content-*`, `DKIM-*`, `ARC-*`, `Authentication-Results`, `List-Unsubscribe*`, `Feedback-ID`),
   * and those that control a mail provider, such as `X-SMTPAPI` (docs/guarantees.md §6). */
  @StringMap({ max: 50, itemMax: 998, oneLine: true, pattern: headerName })
  @Optional()
  headers?: Record<string, string>;
  @ListOf(() => Attachment, 0, maxAttachments) @Optional() attachments?: Attachment[];
  @Texts(0, 10, 64, { pattern: /^[A-Za-z0-9_-]{1,64}$/ }) @Optional() tags?: string[];
  /** Stored with the e-mail and included in its events. */
  @StringMap({ max: 20, itemMax: 500 }) @Optional() metadata?: Record<string, string>;
  /** At most 30 days ahead; a past instant means now. */
  @Instant() @Optional() scheduledAt?: Date;
  @Nested(() => TrackingChoice) @Optional() tracking?: TrackingChoice;
}

class OneRecipient {
  @MailboxOf() to: Mailbox;
}

class SomeRecipients {
  @Mailboxes(1, maxRecipients) to: Mailbox[];
}

export const contentMissingText = 'is required unless a template provides it';
const withoutTemplate = ({
  template,
  text,
}: {
  template?: unknown;
  text?: unknown;
}): Record<string, string> =>
  template ? {} : { subject: contentMissingText, ...(text ? {} : { body: contentMissingText }) };

@AlsoRequired(withoutTemplate)
export class SendEmail extends JoinFields(OneRecipient, EmailContent) {}

@AlsoRequired(withoutTemplate)
export class SendEmails extends JoinFields(SomeRecipients, EmailContent) {}

/** `POST /emails/batch`: up to 100 messages, each accepted or refused separately. */
export class SendBatch {
  @ListOf(() => SendEmail, 1, maxBatch) emails: SendEmail[];
}

export class SendReceipt {
  @Id() id: string;
  @Choice(emailStatuses) status: EmailStatus;
  @Address() to: string;
  @Address() from: string;
}

export class BatchReceipt extends PickFields(SendReceipt, ['id', 'status', 'to', 'from']) {}

export class BatchRefusal {
  @Text(1, 64, { errorCode: true }) code: string;
  @Text(1, 2000) message: string;
}

export class BatchResult {
  @Count() index: number;
  @Choice(['ok', 'error']) status: 'ok' | 'error';
  @Nested(() => BatchReceipt) @Optional() data?: BatchReceipt;
  @Nested(() => BatchRefusal) @Optional() error?: BatchRefusal;
}

export class ContactRef {
  @Id() id: string;
  @Address() email: string;
}

export class LegacySend {
  @Nested(() => ContactRef) contact: ContactRef;
  @Id() email: string;
}

export class LegacySendReceipt {
  @ListOf(() => LegacySend, 1, maxRecipients) emails: LegacySend[];
  @Instant() timestamp: Date;
}

/** The main recipient. `id` is that of the e-mail; the gateway creates it, so that it can void the row. */
export class AcceptRecipient {
  @Id() id: string;
  @MailboxOf() to: Mailbox;
  @Id() @Optional() contactId?: string;
}

class AcceptContent extends EmailContent {
  @ListOf(() => AcceptRecipient, 1, maxRecipients) recipients: AcceptRecipient[];
  /** Further addresses of the To header, each receiving a copy; used by the compatibility dialect. */
  @Mailboxes(0, maxRecipients) @Optional() alsoTo?: Mailbox[];
  /** Liquid in the texts is not rendered; used by the compatibility dialect and for system mail. */
  @Flag() @Optional() verbatim?: boolean;
  /** That of the template by default. */
  @Choice(emailCategories) @Optional() category?: EmailCategory;
  /** That of a workflow holds contact, event and outputs, each as large as they may be. */
  @FreeMap({ max: 256 * 1024, depth: 16 }) @Optional() declare data?: Record<string, unknown>;
  /** TRANSACTIONAL by default. */
  @Choice(['WORKFLOW']) @Optional() sourceType?: 'WORKFLOW';
}

/** The operation of idempotency keys of system mails, whose requests repeat the id of the e-mail. */
export const systemMailOperation = 'system-mails';

export class AcceptSend extends AcceptContent {
  @Nested(() => IdempotentRequest) @Optional() idempotency?: IdempotentRequest;
}

export class AcceptMessage extends AcceptContent {
  @Count() index: number;
}

export class RefusedMessage {
  @Count() index: number;
  @Text(1, 64) code: string;
  @Text(1, 2000) message: string;
}

export class AcceptBatch {
  @ListOf(() => AcceptMessage, 0, maxBatch) messages: AcceptMessage[];
  /** Messages refused by the gateway; part of the stored response. */
  @ListOf(() => RefusedMessage, 0, maxBatch) refused: RefusedMessage[];
  @Nested(() => IdempotentRequest) @Optional() idempotency?: IdempotentRequest;
}

export class AcceptedEmail {
  @Id() id: string;
  @Address() to: string;
  @Address() from: string;
  @Id() @Nullable() contactId: string | null;
}

/** The committed receipt; a repeated idempotency key returns it byte for byte. */
export class AcceptedEmails {
  @ListOf(() => AcceptedEmail, 1, maxBatch) emails: AcceptedEmail[];
  @Instant() acceptedAt: Date;
}

export class AcceptedMessage {
  @Count() index: number;
  @Nested(() => AcceptedEmail) email: AcceptedEmail;
}

export class AcceptedBatch {
  @ListOf(() => AcceptedMessage, 0, maxBatch) accepted: AcceptedMessage[];
  @ListOf(() => RefusedMessage, 0, maxBatch) refused: RefusedMessage[];
}

/** What a template provides, so that a key confined to templates may not bring it. */
const ownContent = ['from', 'subject', 'body', 'text', 'replyTo', 'headers', 'attachments'] as const;
export const bringsContent = (send: Partial<EmailContent>): boolean =>
  ownContent.some((name) => send[name] !== undefined);

const checkedParts = ['from', 'template', 'headers', 'cc', 'bcc', 'scheduledAt'] as const;

export class CheckSend extends PickFields(EmailContent, checkedParts) {
  /** That of the template by default. */
  @Choice(emailCategories) @Optional() category?: EmailCategory;
  @Addresses(1, maxRecipients) @Optional() to?: string[];
  @Flag() @Optional() ownContent?: boolean;
  @Nested(() => IdempotentRequest) @Optional() idempotency?: IdempotentRequest;
}

export class CheckedSend {
  /** The receipt, if a request with this key has already succeeded. */
  @Nested(() => AcceptedEmails) @Nullable() accepted: AcceptedEmails | null;
}

export class SettleSend {
  @ListOf(() => AcceptRecipient, 1, maxBatch) recipients: AcceptRecipient[];
}

export class SettledSend {
  @Choice(['VOIDED', 'ACCEPTED']) outcome: 'VOIDED' | 'ACCEPTED';
  @Nested(() => AcceptedEmails) @Nullable() accepted: AcceptedEmails | null;
}
