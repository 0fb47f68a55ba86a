import { Injectable } from '@nestjs/common';
import { domainEvents, domains, type DeletedDomain, type DomainId } from '@posthorn/contracts';
import { Handles, Outbox, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { DomainsRepository } from './domains.repository.js';
import { CampaignSenders } from './senders/campaign-senders.js';

@Injectable()
export class DomainDeletionService {
  constructor(
    private readonly domains: DomainsRepository,
    private readonly campaigns: CampaignSenders,
    private readonly commits: Commits,
    private readonly outbox: Outbox,
  ) {}

  /** Campaigns are queried before the transaction; one that is created meanwhile fails visibly when it is sent. */
  @Handles(domains.delete)
  async delete({ caller, body, deadline }: Incoming<DomainId>): Promise<DeletedDomain> {
    const { projectId } = caller;
    const { domain } = await this.domains.findOrFail(projectId, body.id);
    await this.campaigns.refuseInUse(caller, domain);
    await this.commits.before(deadline, async () => {
      const row = await this.domains.lockOrFail(projectId, body.id);
      const at = await this.domains.remove(row);
      await this.outbox.publish(domainEvents.removed, projectId, [row.toEvent(at)]);
    });
    return { id: body.id };
  }
}
