import { Injectable } from '@nestjs/common';
import {
  campaignEvents,
  contactEvents,
  type CampaignEvent,
  type ContactDeleted,
  type ContactEvent,
  type ContactsBulkCreated,
  type EmailChangedEvent,
  type ListPending,
} from '@posthorn/contracts';
import { OnEachEvent, type DomainEvent } from '@posthorn/messaging';
import {
  bulkCreatedCalls,
  changedContactEvents,
  contactEventCalls,
  deletedContactCalls,
  listPendingCalls,
  typeOfContactEvent,
} from './contact-events.js';
import { calledEmailEvents, emailEventCalls, typeOfEmailEvent } from './email-events.js';
import { EventCalls } from './event-calls.js';
import { EventSubjects } from './event-subjects.js';

@Injectable()
export class WebhookEventsSubscribers {
  constructor(
    private readonly calls: EventCalls,
    private readonly subjects: EventSubjects,
  ) {}

  @OnEachEvent(calledEmailEvents, 'webhooks')
  async onEmail(event: DomainEvent<EmailChangedEvent>): Promise<void> {
    const type = typeOfEmailEvent(event.origins[0]!.event);
    if (await this.calls.areWanted(event.projectId, [type]))
      await this.calls.add(event.projectId, emailEventCalls(event));
  }

  @OnEachEvent(changedContactEvents, 'webhooks')
  async onContact(event: DomainEvent<ContactEvent>): Promise<void> {
    const { projectId, items, origins } = event;
    if (!(await this.calls.areWanted(projectId, [typeOfContactEvent(origins[0]!.event)]))) return;
    const ids = items.map(({ contactId }) => contactId);
    const known = await this.subjects.contacts(projectId, ids);
    await this.calls.add(projectId, contactEventCalls(event, known));
  }

  @OnEachEvent([contactEvents.deleted], 'webhooks')
  onDeleted(event: DomainEvent<ContactDeleted>): Promise<void> {
    return this.calls.add(event.projectId, deletedContactCalls(event));
  }

  @OnEachEvent([contactEvents.bulkCreated], 'webhooks')
  onBulkCreated(event: DomainEvent<ContactsBulkCreated>): Promise<void> {
    return this.calls.add(event.projectId, bulkCreatedCalls(event));
  }

  @OnEachEvent([contactEvents.listPending], 'webhooks')
  async onListPending(event: DomainEvent<ListPending>): Promise<void> {
    const { projectId, items } = event;
    if (!(await this.calls.areWanted(projectId, ['list.pending']))) return;
    const ids = items.map(({ membershipId }) => membershipId);
    await this.calls.add(projectId, listPendingCalls(event, await this.subjects.confirmUrls(projectId, ids)));
  }

  @OnEachEvent([campaignEvents.sent], 'webhooks')
  async onCampaignSent(event: DomainEvent<CampaignEvent>): Promise<void> {
    if (await this.calls.areWanted(event.projectId, ['campaign.sent']))
      await this.calls.add(event.projectId, await this.subjects.sentCampaigns(event));
  }
}
