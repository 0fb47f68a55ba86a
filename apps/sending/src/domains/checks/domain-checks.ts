import { Injectable } from '@nestjs/common';
import { domainEvents, domainNotFound, domainTaken } from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { DkimKeys } from '../dkim/dkim-keys.js';
import { rotateKeys } from '../dkim/dkim-rotation.js';
import type { DomainRow } from '../domain.entity.js';
import { DomainFindings, type Found } from './domain-findings.js';
import { DomainsRepository } from '../domains.repository.js';

/** What was not answered by then counts as not answered. */
const checkMs = 10_000;
/** For the commit and the reply. */
const storeMs = 1_000;
interface Checked {
  row: DomainRow;
  taken: boolean;
}

/** Looks the records up before the transaction, so that no transaction waits for the DNS. */
@Injectable()
export class DomainChecks {
  constructor(
    private readonly domains: DomainsRepository,
    private readonly keys: DkimKeys,
    private readonly findings: DomainFindings,
    private readonly commits: Commits,
    private readonly outbox: Outbox,
    private readonly clock: DatabaseClock,
  ) {}

  async check(row: DomainRow, deadline: Date | null = null): Promise<DomainRow> {
    const keys = await this.keys.of(row);
    const own = keys.length > 0 ? keys : await this.keys.make(row, 'PENDING');
    const remainingMs = (await this.clock.msUntil(deadline)) ?? Infinity;
    const lookMs = Math.min(checkMs, Math.max(0, remainingMs - storeMs));
    const found = await this.findings.of(row, own, AbortSignal.timeout(lookMs));
    const checked = await this.commits.before(deadline, async () => {
      if (keys.length === 0) await this.keys.store(row.projectId, own);
      return this.applyFindings(row, found);
    });
    if (checked.taken) throw domainTaken();
    return checked.row;
  }

  private async applyFindings({ projectId, id, domain }: DomainRow, found: Found): Promise<Checked> {
    await this.domains.lockName(domain);
    const row = await this.domains.lock(projectId, id);
    if (!row) throw domainNotFound();
    const now = await this.clock.now();
    const turn = rotateKeys(await this.keys.of(row), found.keys, now);
    const result = row.applyFindings({ ...found, proof: turn.proof }, now);
    const taken = result === 'verified' && (await this.domains.isBeneathAnothers(projectId, domain));
    if (taken) row.verified = false;
    await this.keys.change(projectId, turn);
    const saved = await this.domains.save(row);
    await this.domains.checkLater(saved);
    if (result !== null && !taken) await this.publish(saved, result, now);
    return { row: saved, taken };
  }

  private async publish(row: DomainRow, result: 'verified' | 'unverified', now: Date): Promise<void> {
    if (result === 'verified') await this.domains.makeDefaultIfFirst(row.projectId, row.id);
    await this.outbox.publish(domainEvents[result], row.projectId, [row.toEvent(now)]);
  }
}
