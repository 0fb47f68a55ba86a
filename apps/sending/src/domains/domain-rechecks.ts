import { Injectable } from '@nestjs/common';
import { DomainError } from '@posthorn/contracts';
import { Upkeep } from '@posthorn/messaging';
import { DomainChecks } from './domain-checks.js';
import { DomainsRepository, type DueDomain } from './domains.repository.js';

const everyMs = 2_000;
const atOnce = 10;

/** Looks at every domain again, six hours after it was looked at: due instants stand in Postgres, so that a restart forgets none. */
@Injectable()
export class DomainRechecks extends Upkeep {
  constructor(
    private readonly domains: DomainsRepository,
    private readonly checks: DomainChecks,
  ) {
    super('DomainRechecks', everyMs, () => this.round());
  }

  private async round(): Promise<void> {
    for (let due = await this.domains.takeDue(atOnce); due.length > 0; due = await this.domains.takeDue(atOnce)) {
      await Promise.all(due.map((each) => this.recheck(each)));
    }
  }

  private async recheck({ projectId, id }: DueDomain): Promise<void> {
    const row = await this.domains.find(projectId, id);
    try {
      if (row) await this.checks.check(row);
    } catch (error) {
      // Removed, or verified in another project meanwhile: nobody waits for this answer.
      if (!(error instanceof DomainError)) throw error;
    }
  }
}
