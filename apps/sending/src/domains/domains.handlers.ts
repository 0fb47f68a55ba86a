import { Controller } from '@nestjs/common';
import {
  domains,
  type AddDomain,
  type DeletedDomain,
  type DomainId,
  type DomainPage,
  type ListDomains,
  type RotateDkim,
  type SendingDomain,
  type UpdateDomainById,
  type VerifyDomain,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { DomainChecks } from './checks/domain-checks.js';
import { DomainRules } from './domain-rules.js';
import { DomainViews } from './domain-views.js';
import { DomainsService } from './domains.service.js';
import { VerifiedDomains } from './senders/verified-domains.js';

@Controller()
export class DomainsHandlers {
  constructor(
    private readonly service: DomainsService,
    private readonly views: DomainViews,
    private readonly checks: DomainChecks,
    private readonly verified: VerifiedDomains,
    private readonly rules: DomainRules,
  ) {}

  @Handles(domains.add)
  async add(call: Incoming<AddDomain>): Promise<SendingDomain> {
    return this.views.one(await this.service.add(call));
  }

  @Handles(domains.list)
  list({ caller, body }: Incoming<ListDomains>): Promise<DomainPage> {
    return this.views.page(caller.projectId, body);
  }

  @Handles(domains.get)
  async get({ caller, body }: Incoming<DomainId>): Promise<SendingDomain> {
    return this.views.one(await this.service.find(caller.projectId, body.id));
  }

  @Handles(domains.check)
  async check({ caller, body, deadline }: Incoming<DomainId>): Promise<SendingDomain> {
    const row = await this.service.find(caller.projectId, body.id);
    return this.views.one(
      this.rules.isTrusted(row.domain) ? row : await this.checks.checkRequested(row, deadline),
    );
  }

  @Handles(domains.update)
  async update(call: Incoming<UpdateDomainById>): Promise<SendingDomain> {
    return this.views.one(await this.service.update(call));
  }

  @Handles(domains.delete)
  delete(call: Incoming<DomainId>): Promise<DeletedDomain> {
    return this.service.delete(call);
  }

  @Handles(domains.verify)
  async verify(call: Incoming<VerifyDomain>): Promise<SendingDomain> {
    return this.views.one(await this.verified.vouch(call));
  }

  @Handles(domains.rotateDkim)
  async rotateDkim({ caller, body, deadline }: Incoming<RotateDkim>): Promise<SendingDomain> {
    return this.views.one(await this.verified.rotate(caller.projectId, body.domain, deadline));
  }
}
