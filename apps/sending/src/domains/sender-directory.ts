import { Injectable } from '@nestjs/common';
import { domainOf, senderMissing, senderNotVerified, type Mailbox } from '@posthorn/contracts';
import type { DomainRow } from './domain.entity.js';
import { DomainsRepository } from './domains.repository.js';

interface Known {
  domains: DomainRow[];
  readAt: number;
}

const freshMs = 1_000;
const maxProjects = 10_000;

/** Whether a project may send as somebody. Kept for a second; a refusal is always looked up again. */
@Injectable()
export class SenderDirectory {
  private readonly known = new Map<string, Known>();

  constructor(private readonly domains: DomainsRepository) {}

  async senderFor(projectId: string, from: Mailbox | undefined): Promise<Mailbox> {
    const kept = this.known.get(projectId);
    const fresh = kept && performance.now() - kept.readAt < freshMs ? choose(kept.domains, from) : null;
    const sender = fresh ?? choose(await this.read(projectId), from);
    if (sender) return sender;
    throw from ? senderNotVerified() : senderMissing();
  }

  forget(projectId: string): void {
    this.known.delete(projectId);
  }

  private async read(projectId: string): Promise<DomainRow[]> {
    const domains = await this.domains.verifiedOf(projectId);
    if (this.known.size >= maxProjects) this.known.clear();
    this.known.set(projectId, { domains, readAt: performance.now() });
    return domains;
  }
}

/** The sender as given when its domain, or a parent of it, is verified; the default domain's where none is given. */
function choose(domains: DomainRow[], from: Mailbox | undefined): Mailbox | null {
  if (!from) {
    const standard = domains.find(({ isDefault }) => isDefault);
    return standard ? { email: standard.sender } : null;
  }
  const host = domainOf(from.email);
  return domains.some(({ domain }) => host === domain || host.endsWith(`.${domain}`)) ? from : null;
}
