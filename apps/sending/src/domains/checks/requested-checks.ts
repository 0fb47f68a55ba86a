import { Injectable } from '@nestjs/common';
import { domains, type DomainId, type SendingDomain } from '@posthorn/contracts';
import { DatabaseClock, newId } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { LimitedRuns } from '@posthorn/platform';
import { DomainRules } from '../domain-rules.js';
import { DomainViews } from '../domain-views.js';
import { DomainsRepository } from '../domains.repository.js';
import { DomainChecks } from './domain-checks.js';

/** Of checks that are due, one of a project runs at a time. */
const limits = {
  ...{ what: 'checks of domains', running: 20, perProject: 2 },
  ...{ waitingPerProject: 8, waiting: 64 },
};

@Injectable()
export class RequestedChecks {
  private readonly runs = new LimitedRuns(limits);

  constructor(
    private readonly domains: DomainsRepository,
    private readonly rules: DomainRules,
    private readonly checks: DomainChecks,
    private readonly views: DomainViews,
    private readonly clock: DatabaseClock,
  ) {}

  /** Every request is a check of its own: it shows what its caller has just changed. */
  @Handles(domains.check)
  async check({ caller, body, deadline }: Incoming<DomainId>): Promise<SendingDomain> {
    const row = await this.domains.findOrFail(caller.projectId, body.id);
    if (this.rules.isTrusted(row.domain)) return this.views.one(row);
    const remainingMs = await this.clock.msUntil(deadline);
    const checked = await this.runs.run(row.projectId, newId(), remainingMs, () =>
      this.checks.check(row, deadline),
    );
    return this.views.one(checked);
  }
}
