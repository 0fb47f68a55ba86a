import { membershipStatuses, type MembershipStatus } from './contacts.js';
import { query, request } from '../schema/contract.js';
import { Address, Choice, Flag, Id, ListOf, Nullable, Optional, Text } from '../schema/fields.js';

export const maxListPreferences = 100;

export class PreferencesOf {
  @Address() email: string;
}

export class ListPreference {
  @Id() id: string;
  @Text(1, 100) name: string;
  @Choice(membershipStatuses) status: MembershipStatus;
}

export class Preferences {
  /** Null for an address that is not a contact. */
  @Flag() @Nullable() subscribed: boolean | null;
  /** Lists that the contact is a member of, or was. */
  @ListOf(() => ListPreference, 0, maxListPreferences) lists: ListPreference[];
}

/** Of a list, or of the contact itself. */
export class ChangePreference extends PreferencesOf {
  @Id() @Optional() listId?: string;
  @Flag() subscribed: boolean;
}

export class ChangedPreference {
  /** False where there is no such contact or membership. */
  @Flag() found: boolean;
}

/** What a reader sees and does on the page of a mail; the link proves that the address is the reader's. */
export const preferences = {
  look: query('contacts.preferences.look', PreferencesOf, Preferences),
  change: request('contacts.preferences.change', ChangePreference, ChangedPreference),
};
