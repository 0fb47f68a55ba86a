import { Injectable, Logger } from '@nestjs/common';
import {
  bulkCreatedPayloadOf,
  campaignEvents,
  contactEvents,
  contactPayloadOf,
  deletedContactPayloadOf,
  emailPayloadOf,
  endedExecutionEvents,
  endedExecutionPayloadOf,
  eventCatalogue,
  listPendingPayloadOf,
  sentCampaignPayloadOf,
  toldContactEvents,
  validateInPlace,
  webhookTypes,
  type CampaignEvent,
  type ContactDeleted,
  type ContactEvent,
  type ContactsBulkCreated,
  type EmailChangedEvent,
  type EndedExecutionEvent,
  type ListPending,
  type StreamedEvent,
  type WebhookEventType,
  type WebhookPayload,
} from '@posthorn/contracts';
import { Bus, EventSubjects, itemId, type FollowedEvent } from '@posthorn/messaging';

/** Null for an item that is told to nobody. */
export type Told = (StreamedEvent | null)[];

const contracts = new Map(
  eventCatalogue.filter(({ name }) => webhookTypes.has(name)).map((contract) => [contract.name, contract]),
);
const endedNames = new Set(Object.values(endedExecutionEvents).map(({ name }) => name));
const contactNames = new Set(toldContactEvents.map(({ name }) => name));

export const typeOf = ({ event }: FollowedEvent): WebhookEventType | undefined =>
  webhookTypes.get(event.name);

/** What the stream says of events. What an event says too little about is looked up once for all readers. */
@Injectable()
export class ToldEvents {
  private readonly log = new Logger('Stream');

  private readonly subjects: EventSubjects;

  constructor(bus: Bus) {
    this.subjects = new EventSubjects(bus, 'gateway');
  }

  /** One entry for each item. */
  async tell({ event }: FollowedEvent): Promise<Told> {
    const { id, name, projectId } = event;
    const items = this.itemsOf(event);
    const payloadOf = await this.payloads(projectId, name, items);
    return items.map((item, position) => {
      const payload = payloadOf(item);
      return (
        payload && {
          id: itemId(id, position),
          type: webhookTypes.get(name)!,
          createdAt: item.at,
          data: payload.data as Record<string, unknown>,
        }
      );
    });
  }

  /** None of an event that can never be read, at which every reader would end again and again. */
  private itemsOf({ id, name, items }: FollowedEvent['event']): { at: Date }[] {
    const { item: shape } = contracts.get(name)!;
    try {
      return items.map((item) => validateInPlace(shape, item) as { at: Date });
    } catch (error) {
      this.log.error(`${name} ${id} is passed over: ${(error as Error).message}`);
      return [];
    }
  }

  private async payloads(
    projectId: string,
    name: string,
    items: readonly object[],
  ): Promise<(item: object) => WebhookPayload | null> {
    if (contactNames.has(name)) return this.ofContacts(projectId, items as ContactEvent[]);
    if (name === campaignEvents.sent.name) return this.ofCampaigns(projectId, items as CampaignEvent[]);
    if (name === contactEvents.deleted.name) return (item) => deletedContactPayloadOf(item as ContactDeleted);
    if (name === contactEvents.bulkCreated.name)
      return (item) => bulkCreatedPayloadOf(item as ContactsBulkCreated);
    if (endedNames.has(name)) return (item) => endedExecutionPayloadOf(item as EndedExecutionEvent);
    // The link is for whoever may confirm an address; who reads the stream need not be allowed to.
    if (name === contactEvents.listPending.name)
      return (item) => listPendingPayloadOf(item as ListPending, null);
    return (item) => emailPayloadOf(name, item as EmailChangedEvent);
  }

  /** Without contacts that were deleted meanwhile: `contact.deleted` follows. */
  private async ofContacts(projectId: string, items: readonly ContactEvent[]) {
    const ids = items.map(({ contactId }) => contactId);
    const known = await this.subjects.contacts(projectId, ids);
    return (item: object) => {
      const contact = known.get((item as ContactEvent).contactId);
      return contact ? contactPayloadOf(contact) : null;
    };
  }

  private async ofCampaigns(projectId: string, items: readonly CampaignEvent[]) {
    const ids = items.map(({ campaignId }) => campaignId);
    const known = await this.subjects.campaigns(projectId, ids);
    return (item: object) => {
      const campaign = known.get((item as CampaignEvent).campaignId);
      return campaign ? sentCampaignPayloadOf(campaign) : null;
    };
  }
}
