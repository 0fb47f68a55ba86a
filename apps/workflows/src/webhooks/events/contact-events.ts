import {
  contactEvents,
  type Contact,
  type ContactDeleted,
  type ContactEvent,
  type ContactsBulkCreated,
  type ListPending,
  type WebhookEventType,
} from '@posthorn/contracts';
import type { DomainEvent } from '@posthorn/messaging';
import { idOfItem } from '../../events/event-ids.js';
import type { EventToCall } from '../calls/webhook-calls.repository.js';

const { created, updated, subscribed, unsubscribed } = contactEvents;

export const changedContactEvents = [created, updated, subscribed, unsubscribed];
const types: ReadonlyMap<string, WebhookEventType> = new Map([
  [created.name, 'contact.created'],
  [updated.name, 'contact.updated'],
  [subscribed.name, 'contact.subscribed'],
  [unsubscribed.name, 'contact.unsubscribed'],
]);

export const typeOfContactEvent = (event: string): WebhookEventType => types.get(event)!;

/** Without contacts that were deleted meanwhile: `contact.deleted` follows. */
export function contactEventCalls(
  event: DomainEvent<ContactEvent>,
  known: ReadonlyMap<string, Contact>,
): EventToCall[] {
  const type = typeOfContactEvent(event.origins[0]!.event);
  return event.items.flatMap(({ contactId, at }, index) => {
    const contact = known.get(contactId);
    return contact ? { id: idOfItem(event, index), type, contactId, at, data: dataOf(contact) } : [];
  });
}

export const deletedContactCalls = (event: DomainEvent<ContactDeleted>): EventToCall[] =>
  event.items.map(({ contactId, at }, index) => ({
    ...{ id: idOfItem(event, index), type: 'contact.deleted', contactId: null, at, data: { id: contactId } },
  }));

export const bulkCreatedCalls = (event: DomainEvent<ContactsBulkCreated>): EventToCall[] =>
  event.items.map(({ count, source, at }, index) => ({
    ...{
      id: idOfItem(event, index),
      type: 'contacts.bulk_created',
      contactId: null,
      at,
      data: { count, source },
    },
  }));

/** Without those that were confirmed meanwhile. */
export const listPendingCalls = (
  event: DomainEvent<ListPending>,
  urls: ReadonlyMap<string, string>,
): EventToCall[] =>
  event.items.flatMap(({ contactId, email, listId, listName, membershipId, at }, index): EventToCall[] => {
    const confirmUrl = urls.get(membershipId);
    const data = { contact: { id: contactId, email }, list: { id: listId, name: listName }, confirmUrl };
    return confirmUrl ? [{ id: idOfItem(event, index), type: 'list.pending', contactId, at, data }] : [];
  });

function dataOf({
  id,
  projectId,
  email,
  subscribed: isSubscribed,
  customFields,
  createdAt,
  updatedAt,
}: Contact) {
  return { id, projectId, email, subscribed: isSubscribed, customFields, createdAt, updatedAt };
}
