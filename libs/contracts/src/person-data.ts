import { Activity } from './activity.js';
import { Consent } from './consents.js';
import { Contact, ContactId, membershipStatuses, type MembershipStatus } from './contacts.js';
import { request } from './contract.js';
import { Email } from './emails.js';
import { CustomEvent } from './events.js';
import { Address, Choice, Count, Flag, Id, Instant, ListOf, Nested, Nullable, Text, Texts } from './fields.js';
import { MailHappening } from './mail-history.js';
import { PickFields } from './shapes.js';
import { Suppression } from './suppressions.js';

/** Of each part of what is known of a person, the newest rows; a part that has more is named as cut. */
export const maxPersonRows = 1_000;

export class MailMoment extends PickFields(MailHappening, ['id', 'at', 'kind', 'detail', 'link']) {}

export class PersonEmail extends Email {
  /** What became of it, newest first. */
  @ListOf(() => MailMoment, 0, maxPersonRows) history: MailMoment[];
}

/** What an address last said of marketing mail. */
export class PersonOptOut {
  @Flag() optedOut: boolean;
  @Instant() since: Date;
}

export class MailOfPerson {
  /** Newest first. */
  @ListOf(() => PersonEmail, 0, maxPersonRows) emails: PersonEmail[];
  /** Null where the address is not suppressed. */
  @Nested(() => Suppression) @Nullable() suppression: Suppression | null;
  /** Null where it never said anything. */
  @Nested(() => PersonOptOut) @Nullable() optOut: PersonOptOut | null;
}

export class PersonMail extends MailOfPerson {
  /** There are more e-mails, or there is more of what became of them. */
  @Flag() emailsCut: boolean;
}

export class AskPersonMail {
  @Address() email: string;
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

/** All that is known of one person, but the contents of their mail. */
export class PersonData extends MailOfPerson {
  @Nested(() => Contact) contact: Contact;
  @ListOf(() => Consent, 0, maxPersonRows) consents: Consent[];
  @ListOf(() => PersonMembership, 0, maxPersonRows) memberships: PersonMembership[];
  /** In which the contact is now. */
  @ListOf(() => PersonSegment, 0, maxPersonRows) segments: PersonSegment[];
  /** Memberships that changed, and tracked segments that were entered and left. */
  @ListOf(() => Activity, 0, maxPersonRows) history: Activity[];
  @ListOf(() => PersonSummary, 0, maxPersonRows) summaries: PersonSummary[];
  /** The newest two MiB of payloads. */
  @ListOf(() => CustomEvent, 0, maxPersonRows) events: CustomEvent[];
  /** The parts that have more than is shown. */
  @Texts(0, 7, 64, { example: ['events'] }) cut: string[];
}

export const personData = {
  /** 404 for an unknown contact; `unavailable` while sending does not answer. */
  get: request('contacts.personData.get', ContactId, PersonData),
  /** What sending holds of an address; of one that it never saw, nothing. */
  mail: request('sending.personData.mail', AskPersonMail, PersonMail),
};
