import { Injectable } from '@nestjs/common';
import {
  domainEvents,
  domainNotFound,
  domainOfSandbox,
  domainTaken,
  domains,
  normaliseDomain,
  notAHostName,
  rotationUnderWay,
  type RotateDkim,
  type SendingDomain,
  type VerifyDomain,
} from '@posthorn/contracts';
import { Handles, Outbox, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { DkimKeys } from '../dkim/dkim-keys.js';
import type { DomainRow } from '../domain.entity.js';
import { DomainRules } from '../domain-rules.js';
import { DomainViews } from '../domain-views.js';
import { DomainsRepository } from '../domains.repository.js';

@Injectable()
export class VerifiedDomains {
  constructor(
    private readonly domains: DomainsRepository,
    private readonly keys: DkimKeys,
    private readonly rules: DomainRules,
    private readonly commits: Commits,
    private readonly outbox: Outbox,
    private readonly views: DomainViews,
  ) {}

  @Handles(domains.verify)
  async vouch({ caller, body, deadline }: Incoming<VerifyDomain>): Promise<SendingDomain> {
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
    return this.views.one(row);
  }

  /** New keys become active once their records are found, or at once where ownership is not checked. */
  @Handles(domains.rotateDkim)
  async rotate({ caller, body, deadline }: Incoming<RotateDkim>): Promise<SendingDomain> {
    const { projectId } = caller;
    const row = await this.domains.findByName(projectId, normaliseDomain(body.domain) ?? body.domain);
    if (!row) throw domainNotFound();
    const trusted = this.rules.isTrusted(row.domain);
    const made = await this.keys.make(row, trusted ? 'ACTIVE' : 'PENDING');
    await this.commits.before(deadline, async () => {
      await this.domains.lock(projectId, row.id);
      const known = await this.keys.of(row);
      if (known.some(({ state }) => state === 'PENDING')) throw rotationUnderWay();
      if (trusted) await this.keys.retire(projectId, known);
      await this.keys.store(projectId, made);
      await this.outbox.publish(domainEvents.changed, projectId, [row.toEvent(new Date())]);
    });
    return this.views.one(row);
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
