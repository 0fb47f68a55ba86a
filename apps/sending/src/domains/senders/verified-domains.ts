import { Injectable } from '@nestjs/common';
import {
  domainEvents,
  domainNotFound,
  domainOfSandbox,
  domainTaken,
  normaliseDomain,
  notAHostName,
  rotationUnderWay,
  type VerifyDomain,
} from '@posthorn/contracts';
import { Outbox, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { DkimKeys } from '../dkim/dkim-keys.js';
import type { DomainRow } from '../domain.entity.js';
import { DomainRules } from '../domain-rules.js';
import { DomainsRepository } from '../domains.repository.js';

@Injectable()
export class VerifiedDomains {
  constructor(
    private readonly domains: DomainsRepository,
    private readonly keys: DkimKeys,
    private readonly rules: DomainRules,
    private readonly commits: Commits,
    private readonly outbox: Outbox,
  ) {}

  async vouch({ caller, body, deadline }: Incoming<VerifyDomain>): Promise<DomainRow> {
    const { projectId } = caller;
    const domain = normaliseDomain(body.domain);
    if (domain === null) throw notAHostName();
    if (this.rules.isOfSandbox(domain)) throw domainOfSandbox();
    const row = await this.commits.before(deadline, async () => {
      await this.domains.lockName(domain);
      if (await this.domains.isTakenByAnother(projectId, domain)) throw domainTaken();
      const verified = await this.domains.verify(projectId, domain);
      await this.outbox.publish(domainEvents.verified, projectId, [verified.toEvent(new Date())]);
      return verified;
    });
    if (body.signed) await this.sign(row, deadline);
    return row;
  }

  /** New keys become active once their records are found, or at once where ownership is not checked. */
  async rotate(projectId: string, name: string, deadline: Date | null): Promise<DomainRow> {
    const row = await this.domains.findByName(projectId, normaliseDomain(name) ?? name);
    if (!row) throw domainNotFound();
    const trusted = this.rules.isTrusted(row.domain);
    const made = await this.keys.make(row, trusted ? 'ACTIVE' : 'PENDING');
    return this.commits.before(deadline, async () => {
      await this.domains.lock(projectId, row.id);
      const known = await this.keys.of(row);
      if (known.some(({ state }) => state === 'PENDING')) throw rotationUnderWay();
      if (trusted) await this.keys.retire(projectId, known);
      await this.keys.store(projectId, made);
      await this.outbox.publish(domainEvents.changed, projectId, [row.toEvent(new Date())]);
      return row;
    });
  }

  private async sign(row: DomainRow, deadline: Date | null): Promise<void> {
    const made = await this.keys.make(row, 'ACTIVE');
    await this.commits.before(deadline, async () => {
      await this.domains.lock(row.projectId, row.id);
      const known = await this.keys.of(row);
      if (known.length === 0) await this.keys.store(row.projectId, made);
      else await this.keys.activate(row.projectId, known);
    });
  }
}
