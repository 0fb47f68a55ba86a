import { Injectable } from '@nestjs/common';
import { domainEvents, type SendingDomainEvent } from '@posthorn/contracts';
import { OnEvent, type DomainEvent } from '@posthorn/messaging';
import { letter } from '../system-mails/letter.js';
import { SystemMails } from '../system-mails/system-mails.js';
import { OwnersReadModel } from './owners.read-model.js';

@Injectable()
export class DomainMails {
  constructor(
    private readonly owners: OwnersReadModel,
    private readonly mails: SystemMails,
  ) {}

  /** Joins the transaction of the event. */
  @OnEvent(domainEvents.unverified, 'domain-mails')
  async onLost({ projectId, items }: DomainEvent<SendingDomainEvent>): Promise<void> {
    for (const { domain } of items) await this.lost(projectId, domain);
  }

  private async lost(projectId: string, domain: string): Promise<void> {
    const why = `For three days, the DNS of ${domain} has not contained the DKIM key that your mail is signed with.`;
    const what =
      'Mail from this domain is refused until the record is back. Open the domain to see its DNS records, add them again, then verify the domain.';
    for (const to of await this.owners.addressesOf(projectId)) {
      await this.mails.send('domainLost', {
        to,
        subject: `${domain} is no longer verified`,
        ...letter([why, what]),
      });
    }
  }
}
