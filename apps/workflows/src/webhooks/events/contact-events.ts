import {
  contactEvents,
  type Contact,
  type ContactDeleted,
  type ContactEvent,
  type ContactsBulkCreated,
  type WebhookEventType,
} from '@posthorn/contracts';
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
  type: WebhookEventType,
  items: readonly ContactEvent[],
  known: ReadonlyMap<string, Contact>,
): EventToCall[] {
  return items.flatMap(({ contactId, at }) => {
    const contact = known.get(contactId);
    return contact ? { type, contactId, at, data: dataOf(contact) } : [];
  });
}

export const deletedContactCalls = (items: readonly ContactDeleted[]): EventToCall[] =>
  items.map(({ contactId: id, at }) => ({ type: 'contact.deleted', contactId: null, at, data: { id } }));

export const bulkCreatedCalls = (items: readonly ContactsBulkCreated[]): EventToCall[] =>
  items.map(({ count, source, at }) => ({
    ...{ type: 'contacts.bulk_created', contactId: null, at, data: { count, source } },
  }));

/** As `GET /api/contacts/{id}` answers it. */
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
