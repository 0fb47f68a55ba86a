import { Injectable } from '@nestjs/common';
import { DomainError } from '@posthorn/contracts';
import { WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { domainCheckWork } from './domain-check-kind.js';
import { DomainChecks } from './domain-checks.js';
import { DomainsRepository } from '../domains.repository.js';

/** Checks every domain again, six hours after its last check, which has put the next one into the queue. */
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
      // Removed, or verified in another project meanwhile: nobody waits for this answer.
      if (!(error instanceof DomainError)) throw error;
    }
  }
}
