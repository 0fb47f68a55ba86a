import { query } from '../schema/contract.js';
import { FreeMap, Id, Ids, ListOf } from '../schema/fields.js';
import { Contact, maxCustomFields } from './contacts.js';

export const maxLookedUp = 256;

class LookedUpIds {
  @Ids(1, maxLookedUp) ids: string[];
}

export class LookUpContacts extends LookedUpIds {}

/** In any order; unknown ids are left out. */
export class LookedUpContacts {
  @ListOf(() => Contact, 0, maxLookedUp) contacts: Contact[];
}

export class LookUpEvents extends LookedUpIds {}

export class LookedUpEvent {
  @Id() id: string;
  @FreeMap({ max: maxCustomFields }) payload: Record<string, unknown>;
}

/** In any order; events that are unknown or no longer retained are left out. */
export class LookedUpEvents {
  @ListOf(() => LookedUpEvent, 0, maxLookedUp) events: LookedUpEvent[];
}

/** What other services need of contacts and their custom events, many at a time. */
export const contactLookups = {
  byIds: query('contacts.lookups.contacts', LookUpContacts, LookedUpContacts),
  events: query('contacts.lookups.events', LookUpEvents, LookedUpEvents),
};
