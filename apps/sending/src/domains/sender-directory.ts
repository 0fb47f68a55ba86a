import { Injectable } from '@nestjs/common';
import { domainOf, outsideDomain, senderMissing, senderNotVerified, type Caller, type Mailbox } from '@posthorn/contracts';
import type { DomainRow } from './domain.entity.js';
import { DomainsRepository } from './domains.repository.js';
import { sandboxSender } from './sandbox.js';

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

  async senderFor(caller: Caller, from: Mailbox | undefined): Promise<Mailbox> {
    if (caller.mode === 'TEST') return sandboxSender(caller, from);
    const { projectId, domainId } = caller;
    const kept = this.known.get(projectId);
    const fresh = kept && performance.now() - kept.readAt < freshMs ? choose(kept.domains, from, domainId) : null;
    if (fresh) return fresh;
    const domains = await this.read(projectId);
    const sender = choose(domains, from, domainId);
    if (sender) return sender;
    if (domainId && choose(domains, from)) throw outsideDomain();
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

/**
 * The sender as given when its domain, or a parent of it, is verified; the default domain's where none is given. A caller who
 * is confined to one domain has no other.
 */
function choose(verified: DomainRow[], from: Mailbox | undefined, domainId?: string): Mailbox | null {
  const domains = domainId ? verified.filter(({ id }) => id === domainId) : verified;
  if (!from) {
    const standard = domainId ? domains[0] : domains.find(({ isDefault }) => isDefault);
    return standard ? { email: standard.sender } : null;
  }
  const host = domainOf(from.email);
  return domains.some(({ domain }) => host === domain || host.endsWith(`.${domain}`)) ? from : null;
}
