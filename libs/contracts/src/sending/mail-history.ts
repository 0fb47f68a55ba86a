import { request } from '../schema/contract.js';
import {
  Address,
  Choice,
  Count,
  Id,
  Instant,
  ListOf,
  Nested,
  Nullable,
  Optional,
  Text,
} from '../schema/fields.js';
import { maxPageSize, PagePosition } from '../common/page.js';

/** What becomes of an e-mail, as its recipient's history tells it; machines that open and click are nobody. */
export const mailHistoryKinds = [
  'email.accepted', 'email.sent', 'email.delivered', 'email.delayed', 'email.bounced', 'email.failed', 'email.cancelled', 'email.complained',
  'email.opened', 'email.clicked',
] as const; // prettier-ignore
export type MailHistoryKind = (typeof mailHistoryKinds)[number];

export class MailHistoryEvent {
  @Id() id: string;
  @Instant() at: Date;
  @Choice(mailHistoryKinds) kind: MailHistoryKind;
  @Id() emailId: string;
  @Text(0, 998) subject: string;
  /** What the mail server answered, where it did. */
  @Text(0, 2000) @Nullable() detail: string | null;
  /** The link that was followed. */
  @Text(1, 2048) @Nullable() link: string | null;
}

export class GetMailHistory {
  @Address() email: string;
  /** One more than a page shows: whoever asks merges it with other histories. */
  @Count({ min: 1, max: maxPageSize + 1 }) limit: number;
  /** A place in the merged history: of the instant and the id of whatever stood there. */
  @Nested(() => PagePosition) @Optional() after?: PagePosition;
}

export class MailHistory {
  @ListOf(() => MailHistoryEvent, 0, maxPageSize + 1) items: MailHistoryEvent[];
}

export const mailHistory = {
  /** E-mails to one address and what became of each, newest first, ties by id, descending. A copy is no e-mail to its reader. Nobody's is empty. */
  page: request('sending.mailHistory.page', GetMailHistory, MailHistory),
};
