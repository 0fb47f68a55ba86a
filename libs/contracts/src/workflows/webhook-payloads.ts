import { campaignEvents, type Campaign } from '../campaigns/campaigns.js';
import {
  contactEvents,
  type Contact,
  type ContactDeleted,
  type ContactsBulkCreated,
} from '../contacts/contacts.js';
import type { ListPending } from '../contacts/contacts.js';
import type { EventContract } from '../schema/contract.js';
import { emailEvents, type EmailChangedEvent } from '../sending/emails.js';
import {
  baseOf,
  bouncedData,
  clickedData,
  complainedData,
  deliveredData,
  openedData,
  sentData,
} from './email-data.js';
import { endedExecutionEvents, type EndedExecutionEvent } from './executions.js';
import type { WebhookEventType } from './webhooks.js';

/** What calls of webhooks and the live stream say of an item of an event, in the vocabulary of subscriptions. */
export interface WebhookPayload {
  contactId: string | null;
  data: object;
}

interface EmailPayload {
  contract: EventContract;
  type: WebhookEventType;
  /** Null for what no person did. */
  dataOf: (item: EmailChangedEvent) => object | null;
}

const emailPayload = <Item extends EmailChangedEvent>(
  contract: EventContract<Item>,
  type: WebhookEventType,
  dataOf: (item: Item) => object | null,
): EmailPayload => ({ contract, type, dataOf }) as unknown as EmailPayload;

const emailPayloads: readonly EmailPayload[] = [
  emailPayload(emailEvents.sent, 'email.sent', sentData),
  emailPayload(emailEvents.delivered, 'email.delivered', deliveredData),
  emailPayload(emailEvents.delayed, 'email.delayed', (item) => ({
    ...baseOf(item),
    delayedAt: item.at,
    reason: item.reason,
  })),
  emailPayload(emailEvents.opened, 'email.opened', (item) => (item.isMachine ? null : openedData(item))),
  emailPayload(emailEvents.clicked, 'email.clicked', (item) => (item.isMachine ? null : clickedData(item))),
  emailPayload(emailEvents.bounced, 'email.bounced', (item) => {
    const { reason, diagnostic = reason } = item;
    return { ...bouncedData(item), reason, diagnostic };
  }),
  emailPayload(emailEvents.complained, 'email.complained', complainedData),
  emailPayload(emailEvents.failed, 'email.failed', (item) => ({
    ...baseOf(item),
    failedAt: item.at,
    failureKind: item.failureKind,
    reason: item.reason,
  })),
];

const emailPayloadsByEvent = new Map(emailPayloads.map((each) => [each.contract.name, each]));
const { created, updated, subscribed, unsubscribed, deleted, bulkCreated, listPending } = contactEvents;

/** Those that are told entirely by their item. */
export const toldEmailEvents: readonly EventContract[] = emailPayloads.map(({ contract }) => contract);
/** Those that are told by what the contact is now. */
export const toldContactEvents: readonly EventContract[] = [created, updated, subscribed, unsubscribed];

/** By the name of the event. */
export const webhookTypes: ReadonlyMap<string, WebhookEventType> = new Map([
  ...emailPayloads.map(({ contract, type }): [string, WebhookEventType] => [contract.name, type]),
  [created.name, 'contact.created'],
  [updated.name, 'contact.updated'],
  [subscribed.name, 'contact.subscribed'],
  [unsubscribed.name, 'contact.unsubscribed'],
  [deleted.name, 'contact.deleted'],
  [bulkCreated.name, 'contacts.bulk_created'],
  [listPending.name, 'list.pending'],
  [campaignEvents.sent.name, 'campaign.sent'],
  [endedExecutionEvents.completed.name, 'workflow.completed'],
  [endedExecutionEvents.failed.name, 'workflow.failed'],
]);

export function emailPayloadOf(event: string, item: EmailChangedEvent): WebhookPayload | null {
  const data = emailPayloadsByEvent.get(event)!.dataOf(item);
  if (data === null) return null;
  const { to, contactId = null, metadata = {} } = item;
  return { contactId, data: { ...data, contactId, to, metadata } };
}

export function contactPayloadOf(contact: Contact): WebhookPayload {
  const { id, projectId, email, subscribed: isSubscribed, customFields, createdAt, updatedAt } = contact;
  return {
    contactId: id,
    data: { id, projectId, email, subscribed: isSubscribed, customFields, createdAt, updatedAt },
  };
}

export const deletedContactPayloadOf = ({ contactId }: ContactDeleted): WebhookPayload => ({
  contactId: null,
  data: { id: contactId },
});

export const bulkCreatedPayloadOf = ({ count, source }: ContactsBulkCreated): WebhookPayload => ({
  contactId: null,
  data: { count, source },
});

export const listPendingPayloadOf = (
  { contactId, email, listId, listName }: ListPending,
  confirmUrl: string | null,
): WebhookPayload => ({
  contactId,
  data: { contact: { id: contactId, email }, list: { id: listId, name: listName }, confirmUrl },
});

export const sentCampaignPayloadOf = ({ id, name, stats }: Campaign): WebhookPayload => ({
  contactId: null,
  data: { id, name, stats },
});

export const endedExecutionPayloadOf = ({ at: _, ...data }: EndedExecutionEvent): WebhookPayload => ({
  contactId: data.contact.id,
  data,
});
