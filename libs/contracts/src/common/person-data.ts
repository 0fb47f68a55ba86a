import { Activity } from '../contacts/activity.js';
import { Consent } from '../contacts/consents.js';
import { Contact, ContactId, membershipStatuses, type MembershipStatus } from '../contacts/contacts.js';
import { query } from '../schema/contract.js';
import { Email } from '../sending/emails.js';
import { CustomEvent } from '../contacts/events.js';
import {
  Address,
  Choice,
  Count,
  Flag,
  Id,
  Instant,
  ListOf,
  Nested,
  Nullable,
  Optional,
  Text,
} from '../schema/fields.js';
import { MailHistoryEvent } from '../sending/mail-history.js';
import { PageEnd, PagePosition } from './page.js';
import { JoinFields, PartialFields, PickFields } from '../schema/shapes.js';
import { Suppression } from '../sending/suppressions.js';
import { choiceSources, Topic, type ChoiceSource } from '../contacts/topics.js';

export const maxPersonRows = 1_000;
export const maxPersonEmails = 20;

export class MailEventTime extends PickFields(MailHistoryEvent, ['id', 'at', 'kind', 'detail', 'link']) {}

export class PersonEmail extends Email {
  @ListOf(() => MailEventTime, 0) history: MailEventTime[];
}

export class PersonOptOut {
  @Flag() optedOut: boolean;
  @Instant() since: Date;
}

export class AddressStanding {
  @Nested(() => Suppression) @Nullable() suppression: Suppression | null;
  /** Null if the address never opted in or out. */
  @Nested(() => PersonOptOut) @Nullable() optOut: PersonOptOut | null;
}

export class MailOfPerson extends AddressStanding {
  @ListOf(() => PersonEmail, 0) emails: PersonEmail[];
}

export class PersonEmailPart extends PersonEmail {
  @Nested(() => PagePosition) @Nullable() historyNext: PagePosition | null;
}

export class GetPersonMail {
  @Address() email: string;
  @Nested(() => PagePosition) @Optional() after?: PagePosition;
}

export class PersonMail extends JoinFields(AddressStanding, PageEnd) {
  @ListOf(() => PersonEmailPart, 0, maxPersonEmails) emails: PersonEmailPart[];
}

export class GetMailTimes {
  @Address() email: string;
  @Id() emailId: string;
  @Nested(() => PagePosition) after: PagePosition;
}

export class MailTimes extends PageEnd {
  @ListOf(() => MailEventTime, 0, maxPersonRows) items: MailEventTime[];
}

export class PersonMembership {
  @Id() id: string;
  @Id() listId: string;
  @Text(1, 100) @Nullable() listName: string | null;
  @Choice(membershipStatuses) status: MembershipStatus;
  @Instant() createdAt: Date;
  @Instant() updatedAt: Date;
}

export class PersonSegment {
  @Id() segmentId: string;
  @Text(1, 100) segmentName: string;
  @Instant() since: Date;
}

class NameOfTopic extends PickFields(Topic, ['key', 'name']) {}

/** A choice of the contact, also of an archived topic. */
export class PersonTopic extends NameOfTopic {
  @Id() topicId: string;
  @Flag() optedIn: boolean;
  @Choice(choiceSources) source: ChoiceSource;
  @Instant() updatedAt: Date;
}

export class PersonSummary {
  @Choice(['EVENT', 'EMAIL']) of: 'EVENT' | 'EMAIL';
  @Text(1, 200, { example: 'signup' }) name: string;
  @Count() count: number;
  @Instant() firstAt: Date;
  @Instant() lastAt: Date;
}

/** What contacts stores about a person, newest first; summaries are ordered by name. */
export class PersonParts {
  @ListOf(() => Consent, 0) consents: Consent[];
  @ListOf(() => PersonMembership, 0) memberships: PersonMembership[];
  @ListOf(() => PersonTopic, 0) topics: PersonTopic[];
  @ListOf(() => PersonSegment, 0) segments: PersonSegment[];
  /** Membership changes, and entries and exits of tracked segments. */
  @ListOf(() => Activity, 0) history: Activity[];
  @ListOf(() => PersonSummary, 0) summaries: PersonSummary[];
  @ListOf(() => CustomEvent, 0) events: CustomEvent[];
}

export class PersonData extends JoinFields(MailOfPerson, PersonParts) {
  @Nested(() => Contact) contact: Contact;
}

export const personParts = [
  'consents',
  'memberships',
  'topics',
  'segments',
  'history',
  'summaries',
  'events',
] as const;
export type PersonPart = (typeof personParts)[number];

/** A position in a part: a name for summaries, an instant and an id for the others. */
export class PersonPosition {
  @Nested(() => PagePosition) @Optional() position?: PagePosition;
  @Text(1, 200) @Optional() name?: string;
}

export class GetPersonPart extends ContactId {
  @Choice(personParts) part: PersonPart;
  @Nested(() => PersonPosition) @Optional() after?: PersonPosition;
}

export class PersonPartPage extends PartialFields(PersonParts) {
  @Nested(() => PersonPosition) @Nullable() next: PersonPosition | null;
}

export const personData = {
  /** At most a thousand rows and a few MiB per response. 404 for an unknown contact. */
  part: query('contacts.personData.part', GetPersonPart, PersonPartPage),
  /** What sending stores about an address, e-mails newest first; empty for an unknown address. */
  mail: query('sending.personData.mail', GetPersonMail, PersonMail),
  moments: query('sending.personData.moments', GetMailTimes, MailTimes),
};
