import { Injectable } from '@nestjs/common';
import {
  bulkCreatedPayloadOf,
  campaignEvents,
  contactEvents,
  contactPayloadOf,
  deletedContactPayloadOf,
  emailPayloadOf,
  listPendingPayloadOf,
  memberships,
  sentCampaignPayloadOf,
  serviceCaller,
  toldContactEvents,
  toldEmailEvents,
  webhookTypes,
  type CampaignEvent,
  type ContactDeleted,
  type ContactEvent,
  type ContactsBulkCreated,
  type EmailChangedEvent,
  type EventContract,
  type ListPending,
  type WebhookPayload,
} from '@posthorn/contracts';
import { Bus, type DomainEvent, EventSubjects, idOfItem, OnEachEvent } from '@posthorn/messaging';
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

@Injectable()
export class WebhookEventsSubscribers {
  private readonly subjects: EventSubjects;

  constructor(
    private readonly calls: EventCalls,
    private readonly bus: Bus,
  ) {
    this.subjects = new EventSubjects(bus, 'workflows');
  }

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
    const ids = [...new Set(items.map(({ membershipId }) => membershipId))];
    const confirmed = await this.bus.call(memberships.confirmUrls, serviceCaller('workflows', projectId), {
      ids,
    });
    const urls = new Map(confirmed.urls.map(({ membershipId, confirmUrl }) => [membershipId, confirmUrl]));
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
