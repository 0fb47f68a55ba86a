import { Injectable } from '@nestjs/common';
import {
  DomainError,
  domainOf,
  onlyTestFromSandbox,
  outsideDomain,
  outsideCategory,
  senderMissing,
  senderNotAligned,
  senderNotVerified,
  type Caller,
  type Mailbox,
  type EmailCategory,
  outsideSandbox,
  recipientOutsideSandbox,
} from '@posthorn/contracts';
import { TtlCache } from '@posthorn/database';
import { SendingConfig } from '../../config.js';
import type { DomainRow } from '../domain.entity.js';
import { DomainsRepository } from '../domains.repository.js';
import { covers } from '../checks/host-names.js';
import { simulatedAddress } from '../../simulator/simulated-address.js';

interface Wanted {
  from: Mailbox | undefined;
  category: EmailCategory;
  domainId?: string;
}

@Injectable()
export class SenderDirectory {
  private readonly verified = new TtlCache((projectId) => this.domains.verifiedOf(projectId!));

  constructor(
    private readonly domains: DomainsRepository,
    private readonly config: SendingConfig,
  ) {}

  /** As of this instant: a campaign is checked once for a million messages. */
  async currentSenderFor(
    caller: Caller,
    from: Mailbox | undefined,
    category: EmailCategory,
  ): Promise<Mailbox> {
    await this.verified.refresh(caller.projectId);
    return this.senderFor(caller, from, category);
  }

  async senderFor(
    caller: Caller,
    from: Mailbox | undefined,
    category: EmailCategory = 'TRANSACTIONAL',
  ): Promise<Mailbox> {
    if (caller.mode === 'TEST') return sandboxSender(caller, from);
    if (from && domainOf(from.email) === this.config.sandboxDomain) throw onlyTestFromSandbox();
    const { projectId, domainId } = caller;
    const wanted: Wanted = { from, category, domainId };
    const stored = await this.verified.cached(projectId);
    const known = stored && choose(stored, wanted);
    const sender =
      known && !(known instanceof DomainError)
        ? known
        : choose(await this.verified.refresh(projectId), wanted);
    if (sender instanceof DomainError) throw sender;
    return sender;
  }
}

// A caller that is restricted to a domain has no other sender. The error is returned and not thrown,
// because one from cached domains leads to a second look at those in the database.
function choose(verified: DomainRow[], { from, category, domainId }: Wanted): Mailbox | DomainError {
  const host = from && domainOf(from.email);
  const coveringDomains = host
    ? verified.filter(({ domain }) => covers(domain, host))
    : defaults(verified, category, domainId);
  const [nearest] = coveringDomains.sort((a, b) => b.domain.length - a.domain.length);
  if (!nearest) return from ? senderNotVerified() : senderMissing();
  if (domainId && !coveringDomains.some(({ id }) => id === domainId)) return outsideDomain();
  if (nearest.category !== null && nearest.category !== category) return outsideCategory(nearest.category);
  if (host && host !== nearest.domain && nearest.dmarcStrict) return senderNotAligned(nearest.domain);
  return from ?? { email: nearest.sender };
}

function defaults(verified: DomainRow[], category: EmailCategory, domainId: string | undefined): DomainRow[] {
  if (domainId) return verified.filter(({ id }) => id === domainId);
  const ofCategory = verified.filter((row) => row.isCategoryDefault && row.category === category);
  return ofCategory.length > 0
    ? ofCategory
    : verified.filter((row) => row.isDefault && (row.category ?? category) === category);
}

/** A TEST key has one sender, which is also the default. */
function sandboxSender({ sandbox }: Caller, from: Mailbox | undefined): Mailbox {
  if (!sandbox || (from && from.email !== sandbox.address)) throw outsideSandbox();
  return from ?? { email: sandbox.address };
}

/** A TEST key reaches its owners' addresses and the simulator (docs/api-decisions.md §2). */
export function refuseOutsideSandbox({ mode, sandbox }: Caller, recipients: readonly string[]): void {
  if (mode !== 'TEST') return;
  const own = sandbox?.recipients ?? [];
  if (recipients.some((email) => !own.includes(email) && !simulatedAddress(email)))
    throw recipientOutsideSandbox();
}
