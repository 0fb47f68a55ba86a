import { Controller } from '@nestjs/common';
import {
  allowances,
  domains,
  suppressions,
  type Allowance,
  type DomainList,
  type ListDomains,
  type PutSuppression,
  type RemoveSuppression,
  type RemovedSuppression,
  type SendingDomain,
  type SetAllowance,
  type Suppression,
  type VerifyDomain,
} from '@posthorn/contracts';
import { Answers, type Incoming } from '@posthorn/messaging';
import { AllowancesRepository } from '../allowances/allowances.repository.js';
import { SuppressionsService } from '../suppressions/suppressions.service.js';
import { DomainsService } from './domains.service.js';

/** What an operator sets for a project's sending; routes for it come with their own issue. */
@Controller()
export class SendersHandlers {
  constructor(
    private readonly domains: DomainsService,
    private readonly suppressions: SuppressionsService,
    private readonly allowances: AllowancesRepository,
  ) {}

  @Answers(domains.list)
  async listDomains({ caller }: Incoming<ListDomains>): Promise<DomainList> {
    return { domains: await this.domains.list(caller.projectId) };
  }

  @Answers(domains.verify)
  verifyDomain({ caller, body }: Incoming<VerifyDomain>): Promise<SendingDomain> {
    return this.domains.verify(caller.projectId, body.domain);
  }

  @Answers(suppressions.put)
  putSuppression({ caller, body }: Incoming<PutSuppression>): Promise<Suppression> {
    return this.suppressions.put(caller, body);
  }

  @Answers(suppressions.remove)
  async removeSuppression({ caller, body }: Incoming<RemoveSuppression>): Promise<RemovedSuppression> {
    return { email: body.email, deleted: await this.suppressions.remove(caller.projectId, body.email) };
  }

  @Answers(allowances.set)
  async setAllowance({ caller, body }: Incoming<SetAllowance>): Promise<Allowance> {
    await this.allowances.set(caller.projectId, body.category, body.monthly === 'none' ? null : Number(body.monthly));
    return { ...body };
  }
}
