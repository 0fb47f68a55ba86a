import { DomainError } from '../common/errors.js';
import { membershipStatuses, type MembershipStatus } from './contacts.js';
import { maxTopics, Topic, type ChoiceSource } from './topics.js';
import { query, request } from '../schema/contract.js';
import { Address, Choice, Flag, Id, ListOf, Nullable, Optional, Text } from '../schema/fields.js';
import { PickFields } from '../schema/shapes.js';

export const maxListPreferences = 100;
export type PageSource = Exclude<ChoiceSource, 'API'>;

class PreferencesOfAddress {
  @Address() email: string;
}

export class PreferencesOf extends PreferencesOfAddress {
  /** Of the mail, whose topic is answered even if it was archived since. */
  @Id() @Optional() topicId?: string;
}

export class ListPreference {
  @Id() id: string;
  @Text(1, 100) name: string;
  @Choice(membershipStatuses) status: MembershipStatus;
  /** The contact was a confirmed member and left on this page, and nothing changed since. */
  @Flag() mayReturn: boolean;
}

export class TopicPreference extends PickFields(Topic, ['id', 'name', 'description']) {
  @Flag() optedIn: boolean;
}

export class Preferences {
  /** Null for an address that is not a contact. */
  @Flag() @Nullable() subscribed: boolean | null;
  /** The contact left all marketing mail on this page, and nothing changed since. */
  @Flag() mayReturn: boolean;
  /** Lists that the contact is a member of, or was. */
  @ListOf(() => ListPreference, 0, maxListPreferences) lists: ListPreference[];
  @ListOf(() => TopicPreference, 0, maxTopics + 1) topics: TopicPreference[];
  /** Of the contact, by its custom field `language`. */
  @Text(1, 35) @Nullable() language: string | null;
}

/** Of a list, of a topic, or of the contact itself. */
export class ChangePreference extends PreferencesOfAddress {
  @Id() @Optional() listId?: string;
  @Id() @Optional() topicId?: string;
  @Choice(['PREFERENCE_PAGE', 'UNSUBSCRIBE_LINK']) by: PageSource;
  @Flag() subscribed: boolean;
}

export class ChangedPreference {
  /** False where there is no such contact, membership or topic. */
  @Flag() found: boolean;
}

/** The link of a mail may be old or forwarded, so it takes back only what was done with one. */
export const mayNotReturn = () =>
  new DomainError(
    'conflict',
    'resubscribe_confirmation_required',
    'Only what was left on this page can be taken back here; subscribe again by the form of the sender',
  );

/** What a reader sees and does on the page of a mail; the link proves that the address is the reader's. */
export const preferences = {
  look: query('contacts.preferences.look', PreferencesOf, Preferences),
  change: request('contacts.preferences.change', ChangePreference, ChangedPreference),
};
