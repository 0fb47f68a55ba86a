import type { Mailbox } from '../schema/address.js';
import type { Base64Text } from '../schema/base64-text.js';
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
import { IdempotencyClaim } from '../common/idempotency.js';
import { JoinFields, PickFields } from '../schema/shapes.js';

/** Recipients of one send: `to`, `cc` and `bcc` together (docs/api-decisions.md §3). */
export const maxRecipients = 50;
/** Files of one send, decoded, together (docs/api-decisions.md §1). */
export const maxAttachmentBytes = 10 * 1024 * 1024;
const maxAttachments = 10;
/** Messages of one batch (the API specification). */
const maxBatch = 100;
/** How far ahead a message may be scheduled, in days. */
export const maxScheduleDays = 30;

const mediaType = /^[A-Za-z0-9!#$&^_.+-]{1,127}\/[A-Za-z0-9!#$&^_.+-]{1,127}$/;
/** No path and nothing that shows a name other than it is: control and direction marks (docs/guarantees.md §6). */
const fileName = /^[^/\\\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+$/u;

/** A file that travels with the message. */
export class Attachment {
  @Line(1, 255, { pattern: fileName, example: 'invoice.pdf' }) filename: string;
  /** The bytes in base64 (RFC 4648 §4), at least one; ≤ 10 MiB decoded in all files of a message. */
  @Text(1, 15 * 1024 * 1024, {
    pattern: /^[A-Za-z0-9+/\r\n]+={0,2}[\r\n]*$/,
    base64: true,
    example: 'SGVsbG8=',
  })
  content: string | Base64Text;
  /** `application/octet-stream` unless said otherwise. */
  @Line(3, 255, { pattern: mediaType, example: 'application/pdf' }) @Optional() contentType?: string;
  /** What the HTML names it by, as in `<img src="cid:logo">`; makes it inline unless said otherwise. */
  @Line(1, 128, { pattern: /^[A-Za-z0-9._@+-]+$/, example: 'logo' }) @Optional() contentId?: string;
  @Choice(['attachment', 'inline']) @Optional() disposition?: 'attachment' | 'inline';
}

/** Overrides the project's setting for one message; `MARKETING_ONLY` of a project cannot be widened (docs/api-decisions.md §3). */
export class TrackingChoice {
  @Flag() @Optional() opens?: boolean;
  @Flag() @Optional() clicks?: boolean;
}

/** What every send says, whichever surface: the words, or the template that has them, and the sender. */
export class EmailContent {
  /** The sender; without it the template's, or the project's default domain supplies one. Its domain must be verified (422 `/from`). */
  @MailboxOf() @Optional() from?: Mailbox;
  /** Liquid. Required unless a template has one; goes before the template's. */
  @Line(1, 998) @Optional() subject?: string;
  /** HTML with Liquid in it, ≤ 15 MiB with the whole request. Required unless a template has one. */
  @Text(1, 15 * 1024 * 1024) @Optional() body?: string;
  /** Plain text with Liquid in it; derived from the HTML when absent. */
  @Text(1, 15 * 1024 * 1024) @Optional() text?: string;
  /** Its words are those of the version that counts when the send is accepted. */
  @Id() @Optional() template?: string;
  /** Variables of the words; they go before the contact's own fields. ≤ 64 KiB of JSON. */
  @FreeMap({ max: 64 * 1024 }) @Optional() data?: Record<string, unknown>;
  /** Every recipient of a message sees them; each is sent a copy of its own. */
  @Mailboxes(0, maxRecipients) @Optional() cc?: Mailbox[];
  /** As `cc`, but nobody sees them. */
  @Mailboxes(0, maxRecipients) @Optional() bcc?: Mailbox[];
  @MailboxOf({ legacyAliases: ['reply'] }) @Optional() replyTo?: Mailbox;
  /** `X-*`, `References`, `In-Reply-To`; headers that the service owns are refused (docs/guarantees.md §6). */
  @StringMap({ max: 50, itemMax: 998, oneLine: true, pattern: /^(x-[a-z0-9-]+|references|in-reply-to)$/i })
  @Optional()
  headers?: Record<string, string>;
  @ListOf(() => Attachment, 0, maxAttachments) @Optional() attachments?: Attachment[];
  @Texts(0, 10, 64, { pattern: /^[A-Za-z0-9_-]{1,64}$/ }) @Optional() tags?: string[];
  /** Kept on the e-mail and repeated in its events. */
  @StringMap({ max: 20, itemMax: 500 }) @Optional() metadata?: Record<string, string>;
  /** Not before this instant, ≤ 30 days ahead; one that has passed means now. */
  @Instant() @Optional() scheduledAt?: Date;
  @Nested(() => TrackingChoice) @Optional() tracking?: TrackingChoice;
}

class OneRecipient {
  @MailboxOf() to: Mailbox;
}

class SomeRecipients {
  @Mailboxes(1, maxRecipients) to: Mailbox[];
}

/** `POST /api/v1/emails`: exactly one recipient. */
export class SendEmail extends JoinFields(OneRecipient, EmailContent) {}

/** `POST /api/emails`: one e-mail row for each recipient. */
export class SendEmails extends JoinFields(SomeRecipients, EmailContent) {}

/** `POST /emails/batch`: different messages in one call; each is taken or refused by itself. */
export class SendBatch {
  @ListOf(() => SendEmail, 1, maxBatch) emails: SendEmail[];
}

export class SendReceipt {
  @Id() id: string;
  @Choice(emailStatuses) status: EmailStatus;
  @Address() to: string;
  /** The sender actually used. */
  @Address() from: string;
}

/** Of one message of a batch. */
export class TakenMessage extends PickFields(SendReceipt, ['id', 'status', 'to', 'from']) {}

export class BatchRefusal {
  /** A code of the registry, as this surface says it. */
  @Text(1, 64, { errorCode: true }) code: string;
  @Text(1, 2000) message: string;
}

/** What became of one message of a batch. */
export class BatchResult {
  /** Its place in the call, from 0. */
  @Count() index: number;
  @Choice(['ok', 'error']) status: 'ok' | 'error';
  @Nested(() => TakenMessage) @Optional() data?: TakenMessage;
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

/** The legacy answer to a send. */
export class LegacySendReceipt {
  @ListOf(() => LegacySend, 1, maxRecipients) emails: LegacySend[];
  @Instant() timestamp: Date;
}

/** One row to be: the gateway mints the id, so that it can void it. */
export class AcceptRecipient {
  @Id() id: string;
  @MailboxOf() to: Mailbox;
  @Id() @Optional() contactId?: string;
}

/** A send as the gateway hands it on. */
class AcceptContent extends EmailContent {
  @ListOf(() => AcceptRecipient, 1, maxRecipients) recipients: AcceptRecipient[];
  /** More addresses of the To header; each is sent a copy, as `cc` are. The compatibility dialect has them. */
  @Mailboxes(0, maxRecipients) @Optional() alsoTo?: Mailbox[];
  /** The words are taken as they stand; the compatibility dialect's are. */
  @Flag() @Optional() verbatim?: boolean;
}

export class AcceptEmails extends AcceptContent {
  @Nested(() => IdempotencyClaim) @Optional() idempotency?: IdempotencyClaim;
}

/** One message of a batch; `place` is the one that the caller gave it. */
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
  /** What was refused before it came here: part of the answer that a repeat gets. */
  @ListOf(() => RefusedMessage, 0, maxBatch) refused: RefusedMessage[];
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

/** What can be said of a send before anything is stored for it. */
export class CheckSend {
  @MailboxOf() @Optional() from?: Mailbox;
  @Id() @Optional() template?: string;
  /** Whom a TEST key writes to; of other callers nobody asks. */
  @Addresses(1, maxRecipients) @Optional() to?: string[];
  @Nested(() => IdempotencyClaim) @Optional() idempotency?: IdempotencyClaim;
}

export class CheckedSend {
  /** The receipt, where the key has finished already. */
  @Nested(() => AcceptedEmails) @Nullable() accepted: AcceptedEmails | null;
}

export class SettleSend {
  @ListOf(() => AcceptRecipient, 1, maxBatch) recipients: AcceptRecipient[];
}

/** What became of a send whose answer never came. */
export class SettledSend {
  @Choice(['VOIDED', 'ACCEPTED']) outcome: 'VOIDED' | 'ACCEPTED';
  @Nested(() => AcceptedEmails) @Nullable() accepted: AcceptedEmails | null;
}
