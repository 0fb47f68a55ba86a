import { Injectable } from '@nestjs/common';
import { webhookEvents, type WebhookDisabled } from '@posthorn/contracts';
import { OnEvent, type DomainEvent } from '@posthorn/messaging';
import { OwnersReadModel } from '../domains/owners.read-model.js';
import { ProjectsService } from '../projects/projects.service.js';
import { letter } from '../system-mails/letter.js';
import { SystemMails } from '../system-mails/system-mails.js';

@Injectable()
export class WebhookMails {
  constructor(
    private readonly owners: OwnersReadModel,
    private readonly projects: ProjectsService,
    private readonly mails: SystemMails,
  ) {}

  /** Joins the transaction of the event. */
  @OnEvent(webhookEvents.disabled, 'webhook-mails')
  async onDisabled({ projectId, items }: DomainEvent<WebhookDisabled>): Promise<void> {
    for (const disabled of items) await this.sayDisabled(projectId, disabled);
  }

  private async sayDisabled(
    projectId: string,
    { webhookId, origin, reason }: WebhookDisabled,
  ): Promise<void> {
    const { name } = await this.projects.get(projectId);
    const paragraphs = [
      `${name} sends events to ${origin}. This webhook (${webhookId}) does not work any more and was disabled: ${reason}.`,
      'Nothing is sent to it until its status is set to ACTIVE again. The events since then are kept for 30 days: ask for a replay of that time to get them.',
    ];
    const subject = `A webhook of ${name} was disabled`;
    for (const to of await this.owners.addressesOf(projectId))
      await this.mails.send('webhook', { to, subject, ...letter(paragraphs) });
  }
}
