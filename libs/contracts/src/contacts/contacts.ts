import { event, query, request } from '../schema/contract.js';
import { DomainError, invalidMember } from '../common/errors.js';
import {
  Address,
  Choice,
  Count,
  Flag,
  FreeMap,
  Id,
  Ids,
  Instant,
  ListOf,
  Addresses,
  Nested,
  Nullable,
  Optional,
  Text,
} from '../schema/fields.js';
import { PageEnd, PagePosition, PageQuery } from '../common/page.js';
import { AlsoRequired } from '../schema/required-members.js';
import { JoinFields, PickFields } from '../schema/shapes.js';

/** At most 64 KiB of JSON, nested at most 5 levels (docs/api-decisions.md §5). */
export const maxCustomFields = 64 * 1024;

export class Contact {
  @Id() id: string;
  @Id({ legacyOnly: true }) projectId: string;
  @Address() email: string;
  @Flag() subscribed: boolean;
  @FreeMap({ max: maxCustomFields, legacyAliases: ['data'], v1JsonText: true }) customFields: Record<
    string,
    unknown
  >;
  @Instant() createdAt: Date;
  @Instant() updatedAt: Date;
}

export class CreateContact extends PickFields(Contact, ['email']) {
  @Flag() @Optional() subscribed?: boolean;
  @FreeMap({ max: maxCustomFields, legacyAliases: ['data'], v1JsonText: true })
  @Optional()
  customFields?: Record<string, unknown>;
}

/** The address cannot be changed (422). */
export class UpdateContact {
  @Flag() @Optional() subscribed?: boolean;
  @FreeMap({
    max: maxCustomFields,
    legacyAliases: ['data'],
    v1JsonText: true,
    describe: `PATCH on /api/v1 replaces all custom fields; PATCH on /api, upserts and imports merge them, and null removes a field. At most ${maxCustomFields} bytes of JSON`,
  })
  @Optional()
  customFields?: Record<string, unknown>;
}

export class ContactId extends PickFields(Contact, ['id']) {}

/** A step of a workflow, once however often it is repeated. */
export class WorkflowEffect {
  @Id() id: string;
  @Id() executionId: string;
}

export class UpdateContactById extends JoinFields(ContactId, UpdateContact) {
  @Nested(() => WorkflowEffect) @Optional() effect?: WorkflowEffect;
  /** MERGE on the legacy surface, REPLACE on v1 (docs/api-decisions.md §5). */
  @Choice(['MERGE', 'REPLACE']) customFieldsMode: 'MERGE' | 'REPLACE';
}

export class ContactFilter {
  /** A substring of the address, in any case; whole labels after the @ may be Unicode. */
  @Text(1, 254) @Optional() search?: string;
  /** The whole address. */
  @Address() @Optional() email?: string;
  @Flag() @Optional() subscribed?: boolean;
  @Id() @Optional() listId?: string;
  @Id() @Optional() segmentId?: string;
}

export class ListContacts extends JoinFields(PageQuery, ContactFilter) {}

export class ContactPage extends PageEnd {
  @ListOf(() => Contact, 0, 100) items: Contact[];
}

export class ExportContacts extends ContactFilter {
  @Nested(() => PagePosition) @Optional() after?: PagePosition;
}

export class ExportedContacts extends PageEnd {
  @ListOf(() => Contact, 0, 1_000) items: Contact[];
}

/** Each is upserted. If an address occurs twice, the later entry adds to and overrides the earlier one. */
export class BulkContacts {
  @ListOf(() => CreateContact, 1, 1000) contacts: CreateContact[];
}

export class BulkRefusal {
  @Count({ max: 999 }) index: number;
  @Text(1, 4000) reason: string;
}

export class BulkOutcome {
  @Count({ max: 1000 }) created: number;
  @Count({ max: 1000 }) updated: number;
  @Count({ max: 1000 }) skipped: number;
  @ListOf(() => BulkRefusal, 0, 1000) errors: BulkRefusal[];
}

const unnamedText = 'is required unless emails is given; give only one of them';

/** Either ids or addresses; unknown ones are ignored. */
@AlsoRequired(({ emails }): Record<string, string> => (emails === undefined ? { ids: unnamedText } : {}))
export class DeleteContacts {
  @Ids(1, 1000) @Optional() ids?: string[];
  @Addresses(1, 1000) @Optional() emails?: string[];
}

export class DeletedContacts {
  @Count({ max: 1000 }) deleted: number;
}

/** Creates missing contacts, which are not subscribed (docs/api-decisions.md §3). */
export class EnsureContacts {
  @Addresses(1, 50) emails: string[];
}

export class EnsuredContact extends PickFields(Contact, ['id', 'email']) {}

export class EnsuredContacts {
  @ListOf(() => EnsuredContact, 1, 50) contacts: EnsuredContact[];
}

class SendRecipient {
  @Address() email: string;
  @Instant() acceptedAt: Date;
}

/** Of mail that was accepted without asking for contacts. */
export class SendRecipients {
  @ListOf(() => SendRecipient, 1, 500) recipients: SendRecipient[];
}

class RecipientContact extends PickFields(Contact, ['id', 'email']) {}

/** Those who were erased since are missing. */
export class RecipientContacts {
  @ListOf(() => RecipientContact, 0, 500) contacts: RecipientContact[];
}

export class GetVariables {
  @Addresses(1, 500) emails: string[];
}

export class ContactVariables extends PickFields(Contact, ['id', 'email', 'customFields']) {}

export class KnownVariables {
  @ListOf(() => ContactVariables, 0, 500) contacts: ContactVariables[];
}

/** All addresses of the messages that wait, at once. */
export const maxAddressesChecked = 5_000;

export class FindSubscribed {
  @Addresses(1, maxAddressesChecked) emails: string[];
}

export class SubscribedAddresses {
  @Addresses(0, maxAddressesChecked) emails: string[];
}

export class DeletedContact extends PickFields(Contact, ['id']) {}

export class UnsubscribeContact extends PickFields(Contact, ['email']) {}

export const contacts = {
  /** 409 if the address is already a contact. */
  create: request('contacts.contacts.create', CreateContact, Contact, { gathered: true }),
  /** Keyed by address; for an existing contact it keeps `subscribed` and merges custom fields. */
  upsert: request('contacts.contacts.upsert', CreateContact, Contact, { gathered: true }),
  /** Many upserts in one commit; a refused row does not affect the others. */
  bulk: request('contacts.contacts.bulk', BulkContacts, BulkOutcome),
  /** Errors: `validation_error` unless exactly one of ids and addresses is given. */
  deleteMany: request('contacts.contacts.deleteMany', DeleteContacts, DeletedContacts),
  ensure: request('contacts.contacts.ensure', EnsureContacts, EnsuredContacts, { gathered: true }),
  /** Creates missing contacts as not subscribed, as `ensure` does. */
  ensureRecipients: request('contacts.contacts.ensureRecipients', SendRecipients, RecipientContacts),
  variables: query('contacts.contacts.variables', GetVariables, KnownVariables),
  subscribed: query('contacts.contacts.subscribed', FindSubscribed, SubscribedAddresses),
  get: query('contacts.contacts.get', ContactId, Contact),
  list: query('contacts.contacts.list', ListContacts, ContactPage),
  /** Newest first, at most a thousand contacts and 4 MiB per page. */
  export: query('contacts.contacts.export', ExportContacts, ExportedContacts),
  update: request('contacts.contacts.update', UpdateContactById, Contact),
  delete: request('contacts.contacts.delete', ContactId, DeletedContact),
  /** Idempotent. An unknown address gives the same response and creates no contact. */
  unsubscribe: request('contacts.contacts.unsubscribe', UnsubscribeContact, UnsubscribeContact),
};

export class ContactEvent {
  @Id() contactId: string;
  @Address() email: string;
  @Flag() subscribed: boolean;
  /** That of the consent: API, IMPORT, LINK and so on. */
  @Text(1, 64) @Optional() source?: string;
  /** The execution of the workflow that changed the contact. */
  @Id() @Optional() causedBy?: string;
  @Instant() at: Date;
  @Count() seq: number;
}

export class ContactDeleted {
  @Id() contactId: string;
  @Instant() at: Date;
}

export class ContactsBulkCreated {
  @Count() count: number;
  @Choice(['BULK', 'IMPORT']) source: 'BULK' | 'IMPORT';
  @Instant() at: Date;
}

export const membershipStatuses = ['PENDING', 'CONFIRMED', 'UNSUBSCRIBED'] as const;
export type MembershipStatus = (typeof membershipStatuses)[number];

export class MembershipEvent {
  @Id() contactId: string;
  @Id() listId: string;
  @Choice(membershipStatuses) status: MembershipStatus;
  @Instant() at: Date;
}

/** Somebody asked to be on a list with double opt-in, and confirms with the link. */
export class ListPending {
  @Id() contactId: string;
  @Address() email: string;
  @Id() listId: string;
  @Text(1, 100) listName: string;
  @Id() membershipId: string;
  @Instant() at: Date;
}

export class SegmentEvent {
  @Id() contactId: string;
  @Id() segmentId: string;
  @Text(1, 100) slug: string;
  @Text(1, 200) @Optional() name?: string;
  @Instant() at: Date;
}

export class CustomEventRecorded {
  @Id() eventId: string;
  @Id() contactId: string;
  @Text(1, 200) name: string;
  @Id() @Nullable() emailId: string | null;
  @Instant() at: Date;
}

export const contactEvents = {
  created: event('contacts.contact.created', ContactEvent, 'A contact was created.'),
  updated: event('contacts.contact.updated', ContactEvent, 'A contact changed, but not its subscription.'),
  subscribed: event('contacts.contact.subscribed', ContactEvent, 'A contact was subscribed.'),
  unsubscribed: event('contacts.contact.unsubscribed', ContactEvent, 'A contact was unsubscribed.'),
  deleted: event(
    'contacts.contact.deleted',
    ContactDeleted,
    'A contact was deleted; every service erases what it stores about the person.',
  ),
  bulkCreated: event(
    'contacts.contacts.bulk_created',
    ContactsBulkCreated,
    'Contacts were created in bulk; there are no separate events for each of them.',
  ),
  membershipChanged: event(
    'contacts.list.membership_changed',
    MembershipEvent,
    'The status of a list membership changed.',
  ),
  listPending: event(
    'contacts.list.pending',
    ListPending,
    'A membership waits for its confirmation; again where the contact asks again after ten minutes.',
  ),
  segmentEntered: event('contacts.segment.entered', SegmentEvent, 'A contact entered a tracked segment.'),
  segmentLeft: event('contacts.segment.left', SegmentEvent, 'A contact left a tracked segment.'),
  eventRecorded: event('contacts.event.recorded', CustomEventRecorded, 'A custom event was recorded.'),
};

export const contactNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such contact');
export const contactExists = () =>
  new DomainError('conflict', 'conflict', 'A contact with this email already exists');
export const contactsUnnamed = () => invalidMember(['ids'], 'required', unnamedText);
