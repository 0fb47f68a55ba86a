import { Injectable } from '@nestjs/common';
import { DomainError, domainFacts, invalidMember, normaliseDomain } from '@posthorn/contracts';
import { Database } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { SendingConfig } from '../config.js';
import type { DomainRow } from './domain.entity.js';
import { DomainsRepository } from './domains.repository.js';
import { SenderDirectory } from './sender-directory.js';

@Injectable()
export class DomainsService {
  constructor(
    private readonly database: Database,
    private readonly domains: DomainsRepository,
    private readonly senders: SenderDirectory,
    private readonly outbox: Outbox,
    private readonly config: SendingConfig,
  ) {}

  list(projectId: string): Promise<DomainRow[]> {
    return this.domains.list(projectId);
  }

  async verify(projectId: string, name: string): Promise<DomainRow> {
    const domain = normaliseDomain(name);
    if (domain === null) throw invalidMember(['domain'], 'invalid_format', 'must be a host name such as mail.example.com');
    if (reaches(domain, this.config.sandboxDomain)) throw new DomainError('conflict', 'conflict', 'The domain is that of the sandbox');
    const verified = await this.database.transaction(async () => {
      if (await this.domains.isTakenByAnother(projectId, domain)) {
        throw new DomainError('conflict', 'conflict', 'The domain is verified in another project');
      }
      const row = await this.domains.verify(projectId, domain);
      await this.outbox.publish(domainFacts.verified, projectId, [{ domainId: row.id, domain, at: new Date() }]);
      return row;
    });
    this.senders.forget(projectId);
    this.outbox.ring();
    return verified;
  }
}

/** A domain speaks for its sub-domains, too: the sandbox's is nobody's, nor is what lies above or below it. */
const reaches = (domain: string, sandbox: string): boolean =>
  domain === sandbox || domain.endsWith(`.${sandbox}`) || sandbox.endsWith(`.${domain}`);
