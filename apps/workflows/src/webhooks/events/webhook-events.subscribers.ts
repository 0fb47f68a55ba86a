import { Controller } from '@nestjs/common';
import {
  campaignEvents,
  contactEvents,
  type CampaignEvent,
  type ContactDeleted,
  type ContactEvent,
  type ContactsBulkCreated,
  type EmailChangedEvent,
} from '@posthorn/contracts';
import { OnEachEvent, type DomainEvent } from '@posthorn/messaging';
import {
  bulkCreatedCalls,
  changedContactEvents,
  contactEventCalls,
  deletedContactCalls,
  typeOfContactEvent,
} from './contact-events.js';
import { calledEmailEvents, emailEventCalls, typeOfEmailEvent } from './email-events.js';
import { EventCalls } from './event-calls.js';
import { EventSubjects } from './event-subjects.js';

@Controller()
export class WebhookEventsSubscribers {
  constructor(
    private readonly calls: EventCalls,
    private readonly subjects: EventSubjects,
  ) {}

  @OnEachEvent(calledEmailEvents, 'webhooks')
  async onEmail({ projectId, items, origins }: DomainEvent<EmailChangedEvent>): Promise<void> {
    const { event } = origins[0]!;
    if (await this.calls.areWanted(projectId, [typeOfEmailEvent(event)]))
      await this.calls.add(projectId, emailEventCalls(event, items));
  }

  @OnEachEvent(changedContactEvents, 'webhooks')
  async onContact({ projectId, items, origins }: DomainEvent<ContactEvent>): Promise<void> {
    const type = typeOfContactEvent(origins[0]!.event);
    if (!(await this.calls.areWanted(projectId, [type]))) return;
    const known = await this.subjects.contacts(
      projectId,
      items.map(({ contactId }) => contactId),
    );
    await this.calls.add(projectId, contactEventCalls(type, items, known));
  }

  @OnEachEvent([contactEvents.deleted], 'webhooks')
  onDeleted({ projectId, items }: DomainEvent<ContactDeleted>): Promise<void> {
    return this.calls.add(projectId, deletedContactCalls(items));
  }

  @OnEachEvent([contactEvents.bulkCreated], 'webhooks')
  onBulkCreated({ projectId, items }: DomainEvent<ContactsBulkCreated>): Promise<void> {
    return this.calls.add(projectId, bulkCreatedCalls(items));
  }

  @OnEachEvent([campaignEvents.sent], 'webhooks')
  async onCampaignSent({ projectId, items }: DomainEvent<CampaignEvent>): Promise<void> {
    if (await this.calls.areWanted(projectId, ['campaign.sent']))
      await this.calls.add(projectId, await this.subjects.sentCampaigns(projectId, items));
  }
}
