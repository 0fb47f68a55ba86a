import { Injectable } from '@nestjs/common';
import type { Stream } from '@posthorn/contracts';
import type { SigningKey } from '@posthorn/mail';
import { SendingConfig } from '../config.js';
import { DkimKeys } from './dkim-keys.js';
import { DkimKeysRepository } from './dkim-keys.repository.js';
import type { DomainRow } from './domain.entity.js';
import { DomainsRepository } from './domains.repository.js';
import { covers } from './host-names.js';

/** As whom mail of a host goes out. */
export interface SenderIdentity {
  /** Null for the sandbox, which is nobody's domain. */
  domainId: string | null;
  domain: string;
  /** Mail of a domain that is not, any more, fails as `domain_unverified`. */
  verified: boolean;
  /** Those that sign, opened; none where the mail server does. */
  keys: SigningKey[];
  /** Where bounces come back to under its own name; null while its records are not found. */
  returnPathDomain: string | null;
  /** In place of our own host; null while its record is not found. */
  trackingHost: string | null;
  stream: Stream | null;
}

interface Known {
  identities: SenderIdentity[];
  readAt: number;
}

const freshMs = 1_000;
const maxProjects = 10_000;

/** The senders of projects, read once a second at most. */
@Injectable()
export class SenderIdentities {
  private readonly known = new Map<string, Promise<Known>>();

  constructor(
    private readonly domains: DomainsRepository,
    private readonly keyRows: DkimKeysRepository,
    private readonly keys: DkimKeys,
    private readonly config: SendingConfig,
  ) {}

  /** The verified domain that is nearest to the host; an unverified one where there is no other; null for a stranger's host. */
  async of(projectId: string, host: string): Promise<SenderIdentity | null> {
    if (host === this.config.sandboxDomain) return sandboxIdentity(host);
    const { identities } = await this.fresh(projectId);
    const own = identities.filter(({ domain }) => covers(domain, host));
    return own.find(({ verified }) => verified) ?? own[0] ?? null;
  }

  private async fresh(projectId: string): Promise<Known> {
    const known = this.known.get(projectId);
    const kept = await known;
    if (kept && performance.now() - kept.readAt < freshMs) return kept;
    // Whoever waited for the same reading joins the one that began meanwhile.
    const begun = this.known.get(projectId);
    if (begun && begun !== known) return begun;
    if (this.known.size >= maxProjects) this.known.clear();
    const reading = this.read(projectId);
    this.known.set(projectId, reading);
    reading.catch(() => this.known.delete(projectId));
    return reading;
  }

  private async read(projectId: string): Promise<Known> {
    const readAt = performance.now();
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
    return { identities: identities.sort((a, b) => b.domain.length - a.domain.length), readAt };
  }

  private identityOf(row: DomainRow, keys: SigningKey[]): SenderIdentity {
    const { id, domain, verified, stream, mailFromDomain, trackingHost } = row;
    const returns = row.mailFromStatus === 'VERIFIED' && row.spfStatus === 'VERIFIED';
    return {
      domainId: id,
      domain,
      verified,
      keys,
      returnPathDomain: returns ? mailFromDomain : null,
      trackingHost: row.trackingStatus === 'VERIFIED' ? trackingHost : null,
      stream,
    };
  }
}

const sandboxIdentity = (domain: string): SenderIdentity => ({
  domainId: null,
  domain,
  verified: true,
  keys: [],
  returnPathDomain: null,
  trackingHost: null,
  stream: null,
});
