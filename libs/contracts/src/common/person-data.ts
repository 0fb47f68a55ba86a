import { Activity } from '../contacts/activity.js';
import { Consent } from '../contacts/consents.js';
import { Contact, ContactId, membershipStatuses, type MembershipStatus } from '../contacts/contacts.js';
import { request } from '../schema/contract.js';
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

/** Rows of a part that one answer holds; what there is of a person has no bound. */
export const maxPersonRows = 1_000;
/** E-mails that one answer holds, and the newest of what became of each. */
export const maxPersonEmails = 20;

export class MailEventTime extends PickFields(MailHistoryEvent, ['id', 'at', 'kind', 'detail', 'link']) {}

export class PersonEmail extends Email {
  /** What became of it, newest first. */
  @ListOf(() => MailEventTime, 0) history: MailEventTime[];
}

/** What an address last said of marketing mail. */
export class PersonOptOut {
  @Flag() optedOut: boolean;
  @Instant() since: Date;
}

/** What sending keeps of an address beside its mail. */
export class AddressStanding {
  /** Null where the address is not suppressed. */
  @Nested(() => Suppression) @Nullable() suppression: Suppression | null;
  /** Null where it never said anything. */
  @Nested(() => PersonOptOut) @Nullable() optOut: PersonOptOut | null;
}

export class MailOfPerson extends AddressStanding {
  /** Newest first. */
  @ListOf(() => PersonEmail, 0) emails: PersonEmail[];
}

export class PersonEmailPart extends PersonEmail {
  /** Where its history goes on; null where that is all. */
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
  /** Null where the list is gone. */
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

/** How often something happened: all that segments ask of it. */
export class PersonSummary {
  @Choice(['EVENT', 'EMAIL']) of: 'EVENT' | 'EMAIL';
  @Text(1, 200, { example: 'signup' }) name: string;
  @Count() count: number;
  @Instant() firstAt: Date;
  @Instant() lastAt: Date;
}

/** What contacts holds of a person, each newest first, but summaries by name. */
export class PersonParts {
  @ListOf(() => Consent, 0) consents: Consent[];
  @ListOf(() => PersonMembership, 0) memberships: PersonMembership[];
  /** In which the contact is now. */
  @ListOf(() => PersonSegment, 0) segments: PersonSegment[];
  /** Memberships that changed, and tracked segments that were entered and left. */
  @ListOf(() => Activity, 0) history: Activity[];
  @ListOf(() => PersonSummary, 0) summaries: PersonSummary[];
  @ListOf(() => CustomEvent, 0) events: CustomEvent[];
}

/** All that is known of one person, but the contents of their mail. */
export class PersonData extends JoinFields(MailOfPerson, PersonParts) {
  @Nested(() => Contact) contact: Contact;
}

export const personParts = ['consents', 'memberships', 'segments', 'history', 'summaries', 'events'] as const;
export type PersonPart = (typeof personParts)[number];

/** A place in a part: of summaries the name, of all others the instant and the id. */
export class PersonPosition {
  @Nested(() => PagePosition) @Optional() position?: PagePosition;
  @Text(1, 200) @Optional() name?: string;
}

export class GetPersonPart extends ContactId {
  @Choice(personParts) part: PersonPart;
  @Nested(() => PersonPosition) @Optional() after?: PersonPosition;
}

/** Some rows of the part that was asked for. */
export class PersonPartPage extends PartialFields(PersonParts) {
  /** Null where that is all. */
  @Nested(() => PersonPosition) @Nullable() next: PersonPosition | null;
}

export const personData = {
  /** At most a thousand rows and some MiB at a time. 404 for an unknown contact. */
  part: request('contacts.personData.part', GetPersonPart, PersonPartPage),
  /** What sending holds of an address, its e-mails newest first; of one that it never saw, nothing. */
  mail: request('sending.personData.mail', GetPersonMail, PersonMail),
  /** What else became of one e-mail. */
  moments: request('sending.personData.moments', GetMailTimes, MailTimes),
};
