import { consentSources, type ConsentSource } from './consents.js';
import { ContactId, maxCustomFields } from './contacts.js';
import { request } from '../schema/contract.js';
import { Choice, FreeMap, Id, Instant, ListOf, Nested, Nullable, Optional, Text } from '../schema/fields.js';
import { mailHistoryKinds } from '../sending/mail-history.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields } from '../schema/shapes.js';

/** What changes between a contact, the lists and the tracked segments of its project. */
export const contactHistoryKinds = [
  'list.pending',
  'list.confirmed',
  'list.unsubscribed',
  'segment.entered',
  'segment.exited',
] as const;
export type ContactHistoryKind = (typeof contactHistoryKinds)[number];

/** Everything that can happen to a contact. */
export const activityKinds = [
  'event.recorded', 'contact.subscribed', 'contact.unsubscribed', ...contactHistoryKinds, ...mailHistoryKinds,
] as const; // prettier-ignore
export type ActivityKind = (typeof activityKinds)[number];

/** Each kind has its own members, and none of the others. */
export class ActivityData {
  /** `event.recorded`. */
  @Text(1, 200, { example: 'signup' }) @Optional() eventName?: string;
  @FreeMap({ max: maxCustomFields }) @Optional() payload?: Record<string, unknown>;
  /** `event.recorded`: when it happened, as its sender said. */
  @Instant() @Optional() occurredAt?: Date;
  /** `email.*`; of `event.recorded` the e-mail that it came of, where there was one. */
  @Id() @Optional() emailId?: string;
  /** `email.*`. */
  @Text(0, 998) @Optional() subject?: string;
  /** `email.*`: what the mail server answered, where it did. */
  @Text(0, 2000) @Optional() detail?: string;
  /** `email.clicked`. */
  @Text(1, 2048) @Optional() link?: string;
  /** `list.*`. */
  @Id() @Optional() listId?: string;
  /** `list.*`: as it is called now; null where it is gone. */
  @Text(1, 100) @Nullable() @Optional() listName?: string | null;
  /** `segment.*`. */
  @Id() @Optional() segmentId?: string;
  /** `segment.*`: as it is called now; null where it is gone. */
  @Text(1, 100) @Nullable() @Optional() segmentName?: string | null;
  /** `contact.*`: by which way; `list.*`: `IMPORT` where a table brought the contact into the list. */
  @Choice(consentSources, { open: true }) @Optional() source?: ConsentSource;
}

export class Activity {
  /** Of what happened: that of an event, a consent, an e-mail for its acceptance. */
  @Id() id: string;
  /** When it became known; an event's is that of its recording. */
  @Instant() at: Date;
  @Choice(activityKinds) kind: ActivityKind;
  @Nested(() => ActivityData) data: ActivityData;
}

export class ListActivity extends JoinFields(ContactId, PageQuery) {}

export class ActivityPage extends PageEnd {
  @ListOf(() => Activity, 0, 100) items: Activity[];
}

export const activity = {
  /**
   * Everything that happened to a contact in one order, newest first, ties by id, descending; without a total. 404 for an unknown contact; `unavailable` while
   * sending does not answer, because a page without its e-mails would lose them.
   */
  list: request('contacts.activity.list', ListActivity, ActivityPage),
};
