import { Injectable } from '@nestjs/common';
import {
  domainExists,
  domainEvents,
  domainTaken,
  invalidMember,
  tooManyDomains,
  domains,
  type AddDomain,
  type Region,
  type SendingDomain,
  type UpdateDomainById,
  type DeletedDomain,
  type DomainId,
  campaigns,
  domainInUse,
  type Caller,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Outbox, Handles, type Incoming, Bus } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { DkimKeys } from './dkim/dkim-keys.js';
import { DomainRules } from './domain-rules.js';
import { DomainViews } from './domain-views.js';
import { DomainsRepository } from './domains.repository.js';

@Injectable()
export class CampaignSenders {
  constructor(private readonly bus: Bus) {}

  async refuseInUse(caller: Caller, domain: string): Promise<void> {
    const { inUse } = await this.bus.call(campaigns.sendsFrom, caller, { domain });
    if (inUse) throw domainInUse();
  }
}

@Injectable()
export class DomainsService {
  constructor(
    private readonly domains: DomainsRepository,
    private readonly keys: DkimKeys,
    private readonly rules: DomainRules,
    private readonly views: DomainViews,
    private readonly commits: Commits,
    private readonly outbox: Outbox,
  ) {}

  /** Generating keys takes long, so all rules are checked before it and once more within the transaction. */
  @Handles(domains.add)
  async add({ caller, body, deadline }: Incoming<AddDomain>): Promise<SendingDomain> {
    const { projectId } = caller;
    const { stream = null, streamDefault = false } = body;
    if (streamDefault && stream === null)
      throw invalidMember(['streamDefault'], 'not_allowed', 'needs a stream');
    const domain = this.rules.nameOf(body.domain);
    const region = await this.free(projectId, domain, body.region);
    const trusted = this.rules.isTrusted(domain);
    const id = newId();
    const keys = await this.keys.make({ projectId, id }, trusted ? 'ACTIVE' : 'PENDING');
    const added = await this.commits.before(deadline, async () => {
      await this.domains.lockProject(projectId);
      await this.domains.lockName(domain);
      await this.free(projectId, domain, region);
      if (stream !== null && streamDefault) await this.domains.demote(projectId, stream, id);
      const row = await this.domains.insert({
        projectId,
        id,
        domain,
        verified: trusted,
        vouched: trusted,
        region,
        mailFromDomain: this.rules.mailFromOf(domain),
        category: stream,
        isCategoryDefault: streamDefault,
      });
      if (!trusted) await this.domains.checkLater(row);
      await this.keys.store(projectId, keys);
      await this.outbox.publish(domainEvents.added, projectId, [row.toEvent(row.createdAt)]);
      if (trusted) await this.outbox.publish(domainEvents.verified, projectId, [row.toEvent(row.createdAt)]);
      return row;
    });
    return this.views.one(added);
  }

  @Handles(domains.update)
  async update({ caller, body, deadline }: Incoming<UpdateDomainById>): Promise<SendingDomain> {
    const { projectId } = caller;
    const { id, ...changes } = body;
    const updated = await this.commits.before(deadline, async () => {
      // Two changes of the default must not deadlock.
      await this.domains.lockProject(projectId);
      const row = await this.domains.lockOrFail(projectId, id);
      if (Object.keys(changes).length === 0) return row;
      row.change(changes);
      if (row.isCategoryDefault) await this.domains.demote(projectId, row.category!, id);
      const saved = await this.domains.save(row);
      await this.outbox.publish(domainEvents.changed, projectId, [saved.toEvent(saved.updatedAt)]);
      return saved;
    });
    return this.views.one(updated);
  }

  private async free(projectId: string, domain: string, wanted: Region | undefined): Promise<Region> {
    if (await this.domains.findByName(projectId, domain)) throw domainExists();
    if (await this.domains.isFull(projectId)) throw tooManyDomains();
    const trusted = this.rules.isTrusted(domain);
    const taken = trusted
      ? this.domains.isTakenByAnother(projectId, domain)
      : this.domains.isBeneathAnothers(projectId, domain);
    if (await taken) throw domainTaken();
    const region = await this.domains.regionOf(projectId);
    if (region && wanted && region !== wanted)
      throw invalidMember(['region'], 'not_allowed', `must be ${region}, the region of the project`);
    return region ?? wanted ?? this.rules.region;
  }
}

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
