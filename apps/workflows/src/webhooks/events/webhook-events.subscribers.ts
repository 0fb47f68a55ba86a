import { Injectable } from '@nestjs/common';
import {
  bulkCreatedPayloadOf,
  campaignEvents,
  campaigns,
  contactEvents,
  contactLookups,
  contactPayloadOf,
  deletedContactPayloadOf,
  DomainError,
  emailPayloadOf,
  listPendingPayloadOf,
  maxLookedUp,
  memberships,
  sentCampaignPayloadOf,
  serviceCaller,
  toldContactEvents,
  toldEmailEvents,
  webhookTypes,
  type Campaign,
  type CampaignEvent,
  type Contact,
  type ContactDeleted,
  type ContactEvent,
  type ContactsBulkCreated,
  type EmailChangedEvent,
  type EventContract,
  type ListPending,
  type WebhookPayload,
} from '@posthorn/contracts';
import { Bus, type DomainEvent, idOfItem, OnEachEvent } from '@posthorn/messaging';
import { interest } from '../../events/asked-for.js';
import type { EventToCall } from '../calls/calls.repository.js';
import { EventCalls } from './event-calls.js';

const { deleted, bulkCreated, listPending } = contactEvents;

/** All items of one call of a subscriber are of the same event. */
const nameOf = ({ origins }: DomainEvent<object>): string => origins[0]!.event;

/** Without items that are told to nobody. */
function callsOf<Item extends { at: Date }>(
  event: DomainEvent<Item>,
  payloadOf: (item: Item) => WebhookPayload | null,
): EventToCall[] {
  const type = webhookTypes.get(nameOf(event))!;
  return event.items.flatMap((item, index) => {
    const payload = payloadOf(item);
    return payload ? { id: idOfItem(event, index), type, at: item.at, ...payload } : [];
  });
}

/** Nothing is looked up and no data made where no webhook of the project asks for the type. */
const Calls = (contracts: readonly EventContract[]): MethodDecorator =>
  OnEachEvent(contracts, 'webhooks', {
    interestOf: (_, event) => interest('webhook', webhookTypes.get(event)!),
  });

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

  /** Few: a campaign is sent once. Without those that were deleted meanwhile. */
  async campaigns(projectId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Campaign>> {
    const distinct = [...new Set(ids)];
    const found = await Promise.all(distinct.map((id) => this.campaign(projectId, id)));
    return new Map(
      distinct.flatMap((id, index): [string, Campaign][] => {
        const campaign = found[index];
        return campaign ? [[id, { ...campaign, id }]] : [];
      }),
    );
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

  @Calls(toldEmailEvents)
  onEmail(event: DomainEvent<EmailChangedEvent>): Promise<void> {
    const name = nameOf(event);
    return this.calls.add(
      event.projectId,
      callsOf(event, (item) => emailPayloadOf(name, item)),
    );
  }

  /** Without contacts that were deleted meanwhile: `contact.deleted` follows. */
  @Calls(toldContactEvents)
  async onContact(event: DomainEvent<ContactEvent>): Promise<void> {
    const { projectId, items } = event;
    const ids = items.map(({ contactId }) => contactId);
    const known = await this.subjects.contacts(projectId, ids);
    const payloadOf = ({ contactId }: ContactEvent) => {
      const contact = known.get(contactId);
      return contact ? contactPayloadOf(contact) : null;
    };
    await this.calls.add(projectId, callsOf(event, payloadOf));
  }

  @Calls([deleted])
  onDeleted(event: DomainEvent<ContactDeleted>): Promise<void> {
    return this.calls.add(event.projectId, callsOf(event, deletedContactPayloadOf));
  }

  @Calls([bulkCreated])
  onBulkCreated(event: DomainEvent<ContactsBulkCreated>): Promise<void> {
    return this.calls.add(event.projectId, callsOf(event, bulkCreatedPayloadOf));
  }

  /** Without those that were confirmed meanwhile. */
  @Calls([listPending])
  async onListPending(event: DomainEvent<ListPending>): Promise<void> {
    const { projectId, items } = event;
    const ids = items.map(({ membershipId }) => membershipId);
    const urls = await this.subjects.confirmUrls(projectId, ids);
    const payloadOf = (item: ListPending) => {
      const url = urls.get(item.membershipId);
      return url ? listPendingPayloadOf(item, url) : null;
    };
    await this.calls.add(projectId, callsOf(event, payloadOf));
  }

  @Calls([campaignEvents.sent])
  async onCampaignSent(event: DomainEvent<CampaignEvent>): Promise<void> {
    const ids = event.items.map(({ campaignId }) => campaignId);
    const known = await this.subjects.campaigns(event.projectId, ids);
    const payloadOf = ({ campaignId }: CampaignEvent) => {
      const campaign = known.get(campaignId);
      return campaign ? sentCampaignPayloadOf(campaign) : null;
    };
    await this.calls.add(event.projectId, callsOf(event, payloadOf));
  }
}
