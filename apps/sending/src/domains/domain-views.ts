import { Injectable } from '@nestjs/common';
import {
  domains,
  type DomainId,
  type DomainPage,
  type ListDomains,
  type SendingDomain,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { SendingConfig } from '../config.js';
import { DkimKeysRepository } from './dkim/dkim-keys.repository.js';
import type { DomainRow } from './domain.entity.js';
import { toSendingDomain } from './checks/domain-records.js';
import { DomainsRepository } from './domains.repository.js';

@Injectable()
export class DomainViews {
  constructor(
    private readonly domains: DomainsRepository,
    private readonly keys: DkimKeysRepository,
    private readonly config: SendingConfig,
  ) {}

  @Handles(domains.get)
  async get({ caller, body }: Incoming<DomainId>): Promise<SendingDomain> {
    return this.one(await this.domains.findOrFail(caller.projectId, body.id));
  }

  async one(row: DomainRow): Promise<SendingDomain> {
    const [shown] = await this.shown(row.projectId, [row]);
    return shown!;
  }

  @Handles(domains.list)
  async page({ caller: { projectId }, body: request }: Incoming<ListDomains>): Promise<DomainPage> {
    const page = await this.domains.list(projectId, request);
    return { ...page, items: await this.shown(projectId, page.items) };
  }

  private async shown(projectId: string, rows: DomainRow[]): Promise<SendingDomain[]> {
    const keys = await this.keys.of(
      projectId,
      rows.map(({ id }) => id),
    );
    return rows.map((row) =>
      toSendingDomain(
        row,
        keys.filter(({ domainId }) => domainId === row.id),
        this.config,
      ),
    );
  }
}
