import { Injectable } from '@nestjs/common';
import type { EmailCategory } from '@posthorn/contracts';
import { TtlCache } from '@posthorn/database';
import type { SigningKey } from '@posthorn/mail';
import { SendingConfig } from '../../config.js';
import { DkimKeys } from '../dkim/dkim-keys.js';
import { DkimKeysRepository } from '../dkim/dkim-keys.repository.js';
import type { DomainRow } from '../domain.entity.js';
import { DomainsRepository } from '../domains.repository.js';
import { covers } from '../checks/host-names.js';

export interface SenderIdentity {
  domainId: string | null;
  domain: string;
  verified: boolean;
  keys: SigningKey[];
  returnPathDomain: string | null;
  trackingHost: string | null;
  category: EmailCategory | null;
}

@Injectable()
export class SenderIdentities {
  private readonly known = new TtlCache((projectId) => this.read(projectId!));

  constructor(
    private readonly domains: DomainsRepository,
    private readonly keyRows: DkimKeysRepository,
    private readonly keys: DkimKeys,
    private readonly config: SendingConfig,
  ) {}

  /** The nearest verified domain, else an unverified one; null where the project has none for the host. */
  async of(projectId: string, host: string): Promise<SenderIdentity | null> {
    if (host === this.config.sandboxDomain) return unsignedIdentity(host);
    const identities = await this.known.of(projectId);
    const own = identities.filter(({ domain }) => covers(domain, host));
    return own.find(({ verified }) => verified) ?? own[0] ?? null;
  }

  private async read(projectId: string): Promise<SenderIdentity[]> {
    const rows = await this.domains.all(projectId);
    const keys = await this.keyRows.of(
      projectId,
      rows.map(({ id }) => id),
    );
    const identities = rows.map((row) =>
      this.identityOf(
        row,
        this.keys.signing(
          keys.filter(({ domainId }) => domainId === row.id),
          row.domain,
        ),
      ),
    );
    return identities.sort((a, b) => b.domain.length - a.domain.length);
  }

  private identityOf(row: DomainRow, keys: SigningKey[]): SenderIdentity {
    const { id, domain, verified, category, mailFromDomain, trackingHost } = row;
    const hasReturnPath = row.mailFromStatus === 'VERIFIED' && row.spfStatus === 'VERIFIED';
    return {
      domainId: id,
      domain,
      verified,
      keys,
      returnPathDomain: hasReturnPath ? mailFromDomain : null,
      trackingHost: row.trackingStatus === 'VERIFIED' ? trackingHost : null,
      category,
    };
  }
}

export const unsignedIdentity = (domain: string): SenderIdentity => ({
  domainId: null,
  domain,
  verified: true,
  keys: [],
  returnPathDomain: null,
  trackingHost: null,
  category: null,
});
