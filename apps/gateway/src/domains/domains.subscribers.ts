import { Controller } from '@nestjs/common';
import { domainFacts, type DomainFact } from '@posthorn/contracts';
import { Hears, type Fact } from '@posthorn/messaging';
import { DomainMails } from './domain-mails.js';

@Controller()
export class DomainsSubscribers {
  constructor(private readonly mails: DomainMails) {}

  @Hears(domainFacts.unverified, 'domain-mails')
  async onLost({ projectId, items }: Fact<DomainFact>): Promise<void> {
    for (const { domain } of items) await this.mails.lost(projectId, domain);
  }
}
