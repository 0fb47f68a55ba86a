import { consentSources, type ConsentSource } from './consents.js';
import { ContactId, maxCustomFields } from './contacts.js';
import { query } from '../schema/contract.js';
import { Choice, FreeMap, Id, Instant, ListOf, Nested, Nullable, Optional, Text } from '../schema/fields.js';
import { mailHistoryKinds } from '../sending/mail-history.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields } from '../schema/shapes.js';

export const contactHistoryKinds = [
  'list.pending',
  'list.confirmed',
  'list.unsubscribed',
  'segment.entered',
  'segment.exited',
] as const;
export type ContactHistoryKind = (typeof contactHistoryKinds)[number];

export const activityKinds = [
  'event.recorded', 'contact.subscribed', 'contact.unsubscribed', 'topic.opted_in', 'topic.opted_out', ...contactHistoryKinds, ...mailHistoryKinds,
] as const; // prettier-ignore
export type ActivityKind = (typeof activityKinds)[number];

/** Each kind has its own members only. */
export class ActivityData {
  @Text(1, 200, { example: 'signup' }) @Optional() eventName?: string;
  @FreeMap({ max: maxCustomFields }) @Optional() payload?: Record<string, unknown>;
  /** `event.recorded`: when it happened, according to the client. */
  @Instant() @Optional() occurredAt?: Date;
  /** `email.*`; for `event.recorded`, the e-mail that led to the event, if any. */
  @Id() @Optional() emailId?: string;
  @Text(0, 998) @Optional() subject?: string;
  /** `email.*`: the response of the mail server, if any. */
  @Text(0, 2000) @Optional() detail?: string;
  @Text(1, 2048) @Optional() link?: string;
  @Id() @Optional() listId?: string;
  /** `list.*`: the current name; null if the list was deleted. */
  @Text(1, 100) @Nullable() @Optional() listName?: string | null;
  @Id() @Optional() segmentId?: string;
  /** `segment.*`: the current name; null if the segment was deleted. */
  @Text(1, 100) @Nullable() @Optional() segmentName?: string | null;
  @Id() @Optional() topicId?: string;
  @Text(1, 100) @Optional() topicName?: string;
  /** `contact.*` and `topic.*`: the source of the change; `list.*`: `IMPORT` if an import added the contact. */
  @Choice(consentSources, { open: true }) @Optional() source?: ConsentSource;
}

export class Activity {
  /** The id of the event or consent; for an e-mail, of its acceptance. */
  @Id() id: string;
  @Instant() at: Date;
  @Choice(activityKinds) kind: ActivityKind;
  @Nested(() => ActivityData) data: ActivityData;
}

export class ListActivity extends JoinFields(ContactId, PageQuery) {}

export class ActivityPage extends PageEnd {
  @ListOf(() => Activity, 0, 100) items: Activity[];
}

export const activity = {
  /** Newest first, ties by descending id, no total. `unavailable` if sending does not respond. */
  list: query('contacts.activity.list', ListActivity, ActivityPage),
};
