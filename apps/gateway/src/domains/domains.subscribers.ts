import { Injectable } from '@nestjs/common';
import { domainEvents, type SendingDomainEvent } from '@posthorn/contracts';
import { OnEvent, type DomainEvent } from '@posthorn/messaging';
import { DomainMails } from './domain-mails.js';

@Injectable()
export class DomainsSubscribers {
  constructor(private readonly mails: DomainMails) {}

  @OnEvent(domainEvents.unverified, 'domain-mails')
  async onLost({ projectId, items }: DomainEvent<SendingDomainEvent>): Promise<void> {
    for (const { domain } of items) await this.mails.lost(projectId, domain);
  }
}
