import { Injectable } from '@nestjs/common';
import { DomainError } from '@posthorn/contracts';
import { WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { domainCheckWork } from './domain-check-kind.js';
import { DomainChecks } from './domain-checks.js';
import { DomainsRepository } from '../domains.repository.js';

/** Each check enqueues the next one, six hours later. */
@Injectable()
export class DomainChecksWork implements WorkHandler<object> {
  constructor(
    private readonly domains: DomainsRepository,
    private readonly checks: DomainChecks,
    runner: WorkRunner,
  ) {
    runner.register(domainCheckWork, this);
  }

  async run({ items: [item] }: WorkBatch): Promise<void> {
    const row = await this.domains.find(item!.projectId, item!.key!);
    try {
      if (row) await this.checks.check(row);
    } catch (error) {
      // The domain was removed, or verified by another project; nobody waits for this result.
      if (!(error instanceof DomainError)) throw error;
    }
  }
}
