import { maxCustomFields, membershipStatuses, type MembershipStatus } from './contacts.js';
import { event, request } from '../schema/contract.js';
import { DomainError, invalidMember } from '../common/errors.js';
import {
  Address,
  Choice,
  Count,
  Flag,
  FreeMap,
  Id,
  Instant,
  ListOf,
  Nullable,
  Optional,
  Text,
} from '../schema/fields.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields, PickFields } from '../schema/shapes.js';

/** The service itself sends no confirmation (the API specification). */
const confirmationTemplate = {
  describe:
    'Kept for the caller, who sends the confirmation with it or otherwise: the service sends none. The id of a template of the project, else 422 when it is named; the template may go later',
};

export class List {
  @Id() id: string;
  @Id({ legacyOnly: true }) projectId: string;
  @Text(1, 100) name: string;
  @Text(0, 500) @Nullable() description: string | null;
  /** Whoever subscribes from now on is PENDING until they confirm it themselves; members stay what they are. */
  @Flag() doubleOptIn: boolean;
  @Id(confirmationTemplate) @Nullable() confirmationTemplateId: string | null;
  /** Where a confirmation leads; https. */
  @Text(1, 2_000, { example: 'https://shop.example/welcome' }) @Nullable() redirectUrl: string | null;
  /** Those who are CONFIRMED; exact at every instant. */
  @Count() memberCount: number;
  @Instant() createdAt: Date;
  @Instant() updatedAt: Date;
}

class ListSettings {
  /** Null is as good as absent. */
  @Text(0, 500) @Nullable() @Optional() description?: string | null;
  @Flag() @Optional() doubleOptIn?: boolean;
  /** Null is as good as absent. */
  @Id(confirmationTemplate) @Nullable() @Optional() confirmationTemplateId?: string | null;
  /** An https URL; null is as good as absent. */
  @Text(1, 2_000, { example: 'https://shop.example/welcome' }) @Nullable() @Optional() redirectUrl?:
    string | null;
}

class ListName extends PickFields(List, ['name']) {}

/** `doubleOptIn` is false unless said otherwise. */
export class CreateList extends JoinFields(ListName, ListSettings) {}

class NewListName {
  @Text(1, 100) @Optional() name?: string;
}

/** Absent leaves, and so does null: nothing can be cleared (the API specification). */
export class UpdateList extends JoinFields(NewListName, ListSettings) {}

export class ListId extends PickFields(List, ['id']) {}

export class UpdateListById extends JoinFields(ListId, UpdateList) {}

export class ListPage extends PageEnd {
  @ListOf(() => List, 0, 100) items: List[];
}

export class DeletedList extends PickFields(List, ['id']) {}

export class ListMember {
  /** The membership's. */
  @Id() id: string;
  @Id() contactId: string;
  @Address() email: string;
  @Choice(membershipStatuses) status: MembershipStatus;
  @Instant() createdAt: Date;
  /** When the status changed last. */
  @Instant() updatedAt: Date;
}

export class MemberFilter {
  @Choice(membershipStatuses) @Optional() status?: MembershipStatus;
}

class ListMembersFilter extends JoinFields(ListId, MemberFilter) {}
export class ListMembers extends JoinFields(PageQuery, ListMembersFilter) {}

export class MemberPage extends PageEnd {
  @ListOf(() => ListMember, 0, 100) items: ListMember[];
}

/** Makes the contact where there is none. */
export class Subscribe {
  @Address() email: string;
  @Flag({
    describe: 'Brings an UNSUBSCRIBED member back, which is for the contact to ask for; else that is 409',
  })
  @Optional()
  allowResubscribe?: boolean;
  /** docs/decisions/0018 says why. */
  @FreeMap({
    ...{ max: maxCustomFields, legacyAliases: ['customFields'] },
    describe: `Merged into the custom fields of the contact; with a public key only where the call makes the contact. At most ${maxCustomFields} bytes of JSON`,
  })
  @Optional()
  data?: Record<string, unknown>;
}

export class SubscribeToList extends JoinFields(ListId, Subscribe) {}

export class Subscription {
  @Id() membershipId: string;
  @Choice(membershipStatuses) status: MembershipStatus;
  /** False for an unchanged membership and for one that came back. */
  @Flag() created: boolean;
  @Choice(membershipStatuses) @Nullable() previousStatus: MembershipStatus | null;
  /** While PENDING: what the confirm link bears, valid for 24 hours from now. A repeat gives the same one more time. */
  @Text(1, 200) @Optional() confirmToken?: string;
}

export class Unsubscribe {
  @Address() email: string;
}

/** The same for everybody: it tells of nobody whether they were there. */
export class Unsubscribed extends PickFields(Unsubscribe, ['email']) {}

export class UnsubscribeFromList extends JoinFields(ListId, Unsubscribe) {}

/** What a confirm link stands for, read from its token. */
export class ConfirmTarget {
  @Id() membershipId: string;
  /** Hash of the token. */
  @Text(64, 64) tokenHash: string;
}

export class ConfirmedTarget {
  @Text(1, 100) listName: string;
  /** Where the list wants its confirmations to lead. */
  @Text(1, 2_000) @Nullable() redirectUrl: string | null;
}

export const lists = {
  /** 422 where `confirmationTemplateId` is no template of the project. */
  create: request('contacts.lists.create', CreateList, List),
  get: request('contacts.lists.get', ListId, List),
  list: request('contacts.lists.list', PageQuery, ListPage),
  update: request('contacts.lists.update', UpdateListById, List),
  /** With its memberships; the contacts stay. */
  delete: request('contacts.lists.delete', ListId, DeletedList),
  members: request('contacts.lists.members', ListMembers, MemberPage),
};

export const memberships = {
  /** CONFIRMED, or PENDING where the list has double opt-in; 409 for who is UNSUBSCRIBED, unless they may come back. */
  subscribe: request('contacts.memberships.subscribe', SubscribeToList, Subscription),
  /** Idempotent, also for a stranger: nothing is made of one, and nothing is revealed. Changes the membership only. */
  unsubscribe: request('contacts.memberships.unsubscribe', UnsubscribeFromList, Unsubscribed),
  /** Changes nothing; 410 where the token was used or is over. */
  look: request('contacts.memberships.look', ConfirmTarget, ConfirmedTarget),
  /** Once; 410 as above. */
  confirm: request('contacts.memberships.confirm', ConfirmTarget, ConfirmedTarget),
};

export class ListEvent {
  @Id() listId: string;
  @Instant() at: Date;
}

export const listEvents = {
  changed: event('contacts.list.changed', ListEvent, 'A list was created or edited.'),
  deleted: event(
    'contacts.list.deleted',
    ListEvent,
    'A list was deleted with its memberships; no single facts for them.',
  ),
};

export const listNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such list');
export const listTemplateUnknown = () =>
  invalidMember(['confirmationTemplateId'], 'not_found', 'is no template of this project');
export const redirectUnreadable = () =>
  invalidMember(['redirectUrl'], 'invalid_format', 'must be an https URL without a user');
export const resubscribeRefused = () =>
  new DomainError(
    'conflict',
    'resubscribe_confirmation_required',
    'The contact has left this list: allow the resubscription in the body where they asked to come back',
    { previousStatus: 'UNSUBSCRIBED' satisfies MembershipStatus },
  );
export const confirmLinkUnknown = () =>
  new DomainError('not_found', 'resource_not_found', 'The link is not one of ours');
export const confirmLinkOver = () =>
  new DomainError('gone', 'resource_not_found', 'The link was used or is over');
