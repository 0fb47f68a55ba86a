import { Injectable } from '@nestjs/common';
import {
  campaigns,
  contactLookups,
  DomainError,
  maxLookedUp,
  memberships,
  serviceCaller,
  type Campaign,
  type CampaignEvent,
  type Contact,
  campaignEvents,
  contactEvents,
  type ContactDeleted,
  type ContactEvent,
  type ContactsBulkCreated,
  type EmailChangedEvent,
  type ListPending,
  type WebhookEventType,
  emailEvents,
  type EventContract,
} from '@posthorn/contracts';
import { Bus, type DomainEvent, OnEachEvent } from '@posthorn/messaging';
import {
  baseOf,
  bouncedData,
  clickedData,
  complainedData,
  deliveredData,
  openedData,
  sentData,
} from '../../events/email-data.js';
import { interest } from '../../events/asked-for.js';
import { idOfItem } from '../../ids.js';
import type { EventToCall } from '../calls/calls.repository.js';
import { EventCalls } from './event-calls.js';

const { created, updated, subscribed, unsubscribed, deleted, bulkCreated, listPending } = contactEvents;

const changedContactEvents = [created, updated, subscribed, unsubscribed];

/** Without contacts that were deleted meanwhile: `contact.deleted` follows. */
function contactEventCalls(
  event: DomainEvent<ContactEvent>,
  known: ReadonlyMap<string, Contact>,
): EventToCall[] {
  const type = typeOf(event);
  return event.items.flatMap(({ contactId, at }, index) => {
    const contact = known.get(contactId);
    return contact ? { id: idOfItem(event, index), type, contactId, at, data: dataOf(contact) } : [];
  });
}

const deletedContactCalls = (event: DomainEvent<ContactDeleted>): EventToCall[] =>
  event.items.map(({ contactId, at }, index) => ({
    id: idOfItem(event, index),
    type: typeOf(event),
    contactId: null,
    at,
    data: { id: contactId },
  }));

const bulkCreatedCalls = (event: DomainEvent<ContactsBulkCreated>): EventToCall[] =>
  event.items.map(({ count, source, at }, index) => ({
    id: idOfItem(event, index),
    type: typeOf(event),
    contactId: null,
    at,
    data: { count, source },
  }));

/** Without those that were confirmed meanwhile. */
const listPendingCalls = (
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

interface EmailCall {
  contract: EventContract;
  type: WebhookEventType;
  /** Null for what no person did. */
  dataOf: (item: EmailChangedEvent) => object | null;
}

const emailCall = <Item extends EmailChangedEvent>(
  contract: EventContract<Item>,
  type: WebhookEventType,
  dataOf: (item: Item) => object | null,
): EmailCall => ({ contract, type, dataOf }) as unknown as EmailCall;

const emailCalls: readonly EmailCall[] = [
  emailCall(emailEvents.sent, 'email.sent', sentData),
  emailCall(emailEvents.delivered, 'email.delivered', deliveredData),
  emailCall(emailEvents.delayed, 'email.delayed', (item) => ({
    ...baseOf(item),
    delayedAt: item.at,
    reason: item.reason,
  })),
  emailCall(emailEvents.opened, 'email.opened', (item) => (item.isMachine ? null : openedData(item))),
  emailCall(emailEvents.clicked, 'email.clicked', (item) => (item.isMachine ? null : clickedData(item))),
  emailCall(emailEvents.bounced, 'email.bounced', (item) => {
    const { reason, diagnostic = reason } = item;
    return { ...bouncedData(item), reason, diagnostic };
  }),
  emailCall(emailEvents.complained, 'email.complained', complainedData),
  emailCall(emailEvents.failed, 'email.failed', (item) => ({
    ...baseOf(item),
    failedAt: item.at,
    failureKind: item.failureKind,
    reason: item.reason,
  })),
];

const calledEmailEvents = emailCalls.map(({ contract }) => contract);
const byName = new Map(emailCalls.map((each) => [each.contract.name, each]));

const types: ReadonlyMap<string, WebhookEventType> = new Map([
  ...emailCalls.map(({ contract, type }): [string, WebhookEventType] => [contract.name, type]),
  [created.name, 'contact.created'],
  [updated.name, 'contact.updated'],
  [subscribed.name, 'contact.subscribed'],
  [unsubscribed.name, 'contact.unsubscribed'],
  [deleted.name, 'contact.deleted'],
  [bulkCreated.name, 'contacts.bulk_created'],
  [listPending.name, 'list.pending'],
  [campaignEvents.sent.name, 'campaign.sent'],
]);

/** All items of one call of a subscriber are of the same event. */
const typeOf = ({ origins }: DomainEvent<object>): WebhookEventType => types.get(origins[0]!.event)!;

/** Nothing is looked up and no data made where no webhook of the project asks for the type. */
const Calls = (contracts: readonly EventContract[]): MethodDecorator =>
  OnEachEvent(contracts, 'webhooks', { interestOf: (_, event) => interest('webhook', types.get(event)!) });

function emailEventCalls(event: DomainEvent<EmailChangedEvent>): EventToCall[] {
  const { type, dataOf } = byName.get(event.origins[0]!.event)!;
  return event.items.flatMap((item, index) => {
    const data = dataOf(item);
    if (data === null) return [];
    const { to, at, contactId = null, metadata = {} } = item;
    return { id: idOfItem(event, index), type, contactId, at, data: { ...data, contactId, to, metadata } };
  });
}

/** What events are about, where they say too little. */
@Injectable()
export class EventSubjects {
  constructor(private readonly bus: Bus) {}

  async contacts(projectId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Contact>> {
    const distinct = [...new Set(ids)];
    const known = new Map<string, Contact>();
    for (let from = 0; from < distinct.length; from += maxLookedUp) {
      const asked = { ids: distinct.slice(from, from + maxLookedUp) };
      const found = await this.bus.call(contactLookups.byIds, this.caller(projectId), asked);
      for (const contact of found.contacts) known.set(contact.id, { ...contact, projectId });
    }
    return known;
  }

  /** By membership; none of those that were confirmed meanwhile. */
  async confirmUrls(projectId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const { urls } = await this.bus.call(memberships.confirmUrls, this.caller(projectId), {
      ids: [...new Set(ids)],
    });
    return new Map(urls.map(({ membershipId, confirmUrl }) => [membershipId, confirmUrl]));
  }

  /** Few: a campaign is sent once. One that was deleted meanwhile makes no call. */
  async sentCampaigns(event: DomainEvent<CampaignEvent>): Promise<EventToCall[]> {
    const ids = [...new Set(event.items.map(({ campaignId }) => campaignId))];
    const found = await Promise.all(ids.map((id) => this.campaign(event.projectId, id)));
    const known = new Map(ids.map((id, index) => [id, found[index]]));
    return event.items.flatMap(({ campaignId, at }, index) => {
      const campaign = known.get(campaignId);
      if (!campaign) return [];
      const data = { id: campaignId, name: campaign.name, stats: campaign.stats };
      return { id: idOfItem(event, index), type: 'campaign.sent', contactId: null, at, data };
    });
  }

  private async campaign(projectId: string, id: string): Promise<Campaign | null> {
    try {
      return await this.bus.call(campaigns.get, this.caller(projectId), { id });
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'not_found') return null;
      throw error;
    }
  }

  private caller(projectId: string) {
    return serviceCaller('workflows', projectId);
  }
}

@Injectable()
export class WebhookEventsSubscribers {
  constructor(
    private readonly calls: EventCalls,
    private readonly subjects: EventSubjects,
  ) {}

  @Calls(calledEmailEvents)
  onEmail(event: DomainEvent<EmailChangedEvent>): Promise<void> {
    return this.calls.add(event.projectId, emailEventCalls(event));
  }

  @Calls(changedContactEvents)
  async onContact(event: DomainEvent<ContactEvent>): Promise<void> {
    const { projectId, items } = event;
    const ids = items.map(({ contactId }) => contactId);
    const known = await this.subjects.contacts(projectId, ids);
    await this.calls.add(projectId, contactEventCalls(event, known));
  }

  @Calls([deleted])
  onDeleted(event: DomainEvent<ContactDeleted>): Promise<void> {
    return this.calls.add(event.projectId, deletedContactCalls(event));
  }

  @Calls([bulkCreated])
  onBulkCreated(event: DomainEvent<ContactsBulkCreated>): Promise<void> {
    return this.calls.add(event.projectId, bulkCreatedCalls(event));
  }

  @Calls([listPending])
  async onListPending(event: DomainEvent<ListPending>): Promise<void> {
    const { projectId, items } = event;
    const ids = items.map(({ membershipId }) => membershipId);
    await this.calls.add(projectId, listPendingCalls(event, await this.subjects.confirmUrls(projectId, ids)));
  }

  @Calls([campaignEvents.sent])
  async onCampaignSent(event: DomainEvent<CampaignEvent>): Promise<void> {
    await this.calls.add(event.projectId, await this.subjects.sentCampaigns(event));
  }
}
