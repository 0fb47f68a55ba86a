import { maxCustomFields, membershipStatuses, type MembershipStatus } from './contacts.js';
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
  Nullable,
  Optional,
  Text,
  Texts,
} from '../schema/fields.js';
import { PageEnd, PageQuery } from '../common/page.js';
import { JoinFields, PickFields } from '../schema/shapes.js';

const confirmationTemplate = {
  describe:
    'Stored for the caller, who sends the confirmation: Posthorn does not send it. Must be a template of the project when it is set (422); the template may be deleted later',
};

export class List {
  @Id() id: string;
  @Id({ legacyOnly: true }) projectId: string;
  @Text(1, 100) name: string;
  @Text(0, 500) @Nullable() description: string | null;
  /** New members are PENDING until they confirm; existing members are not affected. */
  @Flag() doubleOptIn: boolean;
  @Id(confirmationTemplate) @Nullable() confirmationTemplateId: string | null;
  @Text(1, 2_000, { example: 'https://shop.example/welcome' }) @Nullable() redirectUrl: string | null;
  @Count() memberCount: number;
  @Instant() createdAt: Date;
  @Instant() updatedAt: Date;
}

/** Null members are treated as absent. */
class ListSettings {
  @Text(0, 500) @Nullable() @Optional() description?: string | null;
  @Flag() @Optional() doubleOptIn?: boolean;
  @Id(confirmationTemplate) @Nullable() @Optional() confirmationTemplateId?: string | null;
  /** An https URL. */
  @Text(1, 2_000, { example: 'https://shop.example/welcome' }) @Nullable() @Optional() redirectUrl?:
    string | null;
}

class ListName extends PickFields(List, ['name']) {}

/** `doubleOptIn` is false by default. */
export class CreateList extends JoinFields(ListName, ListSettings) {}

class NewListName {
  @Text(1, 100) @Optional() name?: string;
}

/** Absent and null members are unchanged: nothing can be cleared. */
export class UpdateList extends JoinFields(NewListName, ListSettings) {}

export class ListId extends PickFields(List, ['id']) {}

export class UpdateListById extends JoinFields(ListId, UpdateList) {}

export class ListPage extends PageEnd {
  @ListOf(() => List, 0, 100) items: List[];
}

export class DeletedList extends PickFields(List, ['id']) {}

export class ListMember {
  /** The id of the membership. */
  @Id() id: string;
  @Id() contactId: string;
  @Address() email: string;
  @Choice(membershipStatuses) status: MembershipStatus;
  @Instant() createdAt: Date;
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

export class Subscribe {
  @Address() email: string;
  @Flag({
    describe:
      'Subscribes an UNSUBSCRIBED member again, which only the contact may ask for. Without it such a call is 409',
  })
  @Optional()
  allowResubscribe?: boolean;
  /** The reason is in docs/decisions/0018. */
  @FreeMap({
    max: maxCustomFields,
    legacyAliases: ['customFields'],
    describe: `Merged into the custom fields of the contact; with a public key only if the call creates the contact. At most ${maxCustomFields} bytes of JSON`,
  })
  @Optional()
  data?: Record<string, unknown>;
}

export class SubscribeToList extends JoinFields(ListId, Subscribe) {}

export class Subscription {
  @Id() membershipId: string;
  @Choice(membershipStatuses) status: MembershipStatus;
  /** False for an existing membership, whether or not it changed. */
  @Flag() created: boolean;
  @Choice(membershipStatuses) @Nullable() previousStatus: MembershipStatus | null;
  /** While PENDING; valid 24 hours, the same in a repeat. Absent for a key that may only subscribe. */
  @Text(1, 200) @Optional() confirmToken?: string;
}

export class Unsubscribe {
  @Address() email: string;
}

/** The same response for every address, so that it does not reveal membership. */
export class Unsubscribed extends PickFields(Unsubscribe, ['email']) {}

export class UnsubscribeFromList extends JoinFields(ListId, Unsubscribe) {}

export class ConfirmTarget {
  @Id() membershipId: string;
  @Text(64, 64) tokenHash: string;
}

export class ConfirmedTarget {
  @Text(1, 100) listName: string;
  @Text(1, 2_000) @Nullable() redirectUrl: string | null;
}

export const lists = {
  /** 422 if `confirmationTemplateId` is not a template of the project. */
  create: request('contacts.lists.create', CreateList, List),
  get: query('contacts.lists.get', ListId, List),
  list: query('contacts.lists.list', PageQuery, ListPage),
  update: request('contacts.lists.update', UpdateListById, List),
  /** Also deletes the memberships; the contacts stay. */
  delete: request('contacts.lists.delete', ListId, DeletedList),
  members: query('contacts.lists.members', ListMembers, MemberPage),
};

export class MembershipIds {
  @Ids(1, 256) ids: string[];
}

export class ConfirmUrl {
  @Id() membershipId: string;
  @Text(1, 2_500) confirmUrl: string;
}

export class ConfirmUrls {
  @ListOf(() => ConfirmUrl, 0, 256) urls: ConfirmUrl[];
}

export const memberships = {
  /** CONFIRMED, or PENDING with double opt-in; 409 for an UNSUBSCRIBED member without resubscription. */
  subscribe: request('contacts.memberships.subscribe', SubscribeToList, Subscription),
  /** Idempotent. An unknown address gives the same response. Changes the membership only. */
  unsubscribe: request('contacts.memberships.unsubscribe', UnsubscribeFromList, Unsubscribed),
  /** Changes nothing; 410 if the token was used or has expired. */
  look: query('contacts.memberships.look', ConfirmTarget, ConfirmedTarget),
  /** Works once, then 410. */
  confirm: request('contacts.memberships.confirm', ConfirmTarget, ConfirmedTarget),
  /** Of those that still wait for their confirmation; links are in no event, because whoever has one can confirm the address. */
  confirmUrls: query('contacts.memberships.confirm_urls', MembershipIds, ConfirmUrls),
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
    'A list was deleted with its memberships; there are no separate events for those.',
  ),
};

export const maxListUses = 20;

export class ListUses {
  @Texts(0, maxListUses, 200) names: string[];
}

export const listUses = {
  /** Names of unsent campaigns that are sent to the list or exclude it. */
  campaigns: query('campaigns.lists.uses', ListId, ListUses),
};

export const listUsed = (users: readonly string[] = []) =>
  new DomainError(
    'conflict',
    'conflict',
    `The list is in use${users.length > 0 ? ` by ${users.join(', ')}` : ''}. Change, send or cancel its users first`,
  );
export const listNotFound = () => new DomainError('not_found', 'resource_not_found', 'No such list');
export const listTemplateUnknown = () =>
  invalidMember(['confirmationTemplateId'], 'not_found', 'must be a template of this project');
export const redirectUnreadable = () =>
  invalidMember(['redirectUrl'], 'invalid_format', 'must be an https URL without user information');
export const resubscribeRefused = () =>
  new DomainError(
    'conflict',
    'resubscribe_confirmation_required',
    'The contact unsubscribed from this list; confirm in the body that they asked to be subscribed again',
    { previousStatus: 'UNSUBSCRIBED' satisfies MembershipStatus },
  );
export const mayNotSubscribe = () =>
  new DomainError(
    'forbidden',
    'scope_missing',
    'The key can send to contacts only, so it may not make contacts by subscribing them',
  );
export const confirmLinkUnknown = () =>
  new DomainError('not_found', 'resource_not_found', 'The confirmation link is not valid');
export const confirmLinkOver = () =>
  new DomainError('gone', 'resource_not_found', 'The confirmation link was used or has expired');
