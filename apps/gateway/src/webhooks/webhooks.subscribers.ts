import { Injectable } from '@nestjs/common';
import { webhookEvents, type WebhookDisabled } from '@posthorn/contracts';
import { OnEvent, type DomainEvent } from '@posthorn/messaging';
import { WebhookMails } from './webhook-mails.js';

@Injectable()
export class WebhooksSubscribers {
  constructor(private readonly mails: WebhookMails) {}

  @OnEvent(webhookEvents.disabled, 'webhook-mails')
  async onDisabled({ projectId, items }: DomainEvent<WebhookDisabled>): Promise<void> {
    for (const disabled of items) await this.mails.sayDisabled(projectId, disabled);
  }
}
