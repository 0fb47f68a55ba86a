import { query } from '../schema/contract.js';
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

/** What happened to an e-mail, as shown in the history of a contact; machine opens and clicks are left out. */
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
  @Text(0, 2000) @Nullable() detail: string | null;
  @Text(1, 2048) @Nullable() link: string | null;
}

export class GetMailHistory {
  @Address() email: string;
  /** One more than a page shows, because the caller merges it with other histories. */
  @Count({ min: 1, max: maxPageSize + 1 }) limit: number;
  /** A position in the merged history, which may be that of another entry. */
  @Nested(() => PagePosition) @Optional() after?: PagePosition;
}

export class MailHistory {
  @ListOf(() => MailHistoryEvent, 0, maxPageSize + 1) items: MailHistoryEvent[];
}

export const mailHistory = {
  /** Newest first, ties by descending id. Copies do not count. Empty for an unknown address. */
  page: query('sending.mailHistory.page', GetMailHistory, MailHistory),
};
