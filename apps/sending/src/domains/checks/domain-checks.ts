import { Injectable } from '@nestjs/common';
import {
  domainEvents,
  domainNotFound,
  domainTaken,
  DomainError,
  domains,
  type DomainId,
  type SendingDomain,
} from '@posthorn/contracts';
import { DatabaseClock, newId } from '@posthorn/database';
import { Outbox, Handles, type Incoming } from '@posthorn/messaging';
import { Commits, LimitedRuns } from '@posthorn/platform';
import { WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { DkimKeys } from '../dkim/dkim-keys.js';
import { rotateKeys } from '../dkim/dkim-rotation.js';
import type { DomainRow } from '../domain.entity.js';
import { DomainFindings, type Found } from './domain-findings.js';
import { DomainsRepository, domainCheckWork } from '../domains.repository.js';
import { DomainRules } from '../domain-rules.js';
import { DomainViews } from '../domain-views.js';

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

/** Each check enqueues the next one, six hours later. */
@Injectable()
export class DomainChecksWork implements WorkHandler<object> {
  constructor(
    private readonly domains: DomainsRepository,
    private readonly checks: DomainChecks,
    runner: WorkRunner,
  ) {
    runner.register(domainCheckWork, this);
  }

  async run({ items: [item] }: WorkBatch): Promise<void> {
    const row = await this.domains.find(item!.projectId, item!.key!);
    try {
      if (row) await this.checks.check(row);
    } catch (error) {
      // The domain was removed, or verified by another project; nobody waits for this result.
      if (!(error instanceof DomainError)) throw error;
    }
  }
}

/** Of checks that are due, one of a project runs at a time. */
const limits = {
  what: 'checks of domains',
  running: 20,
  perProject: 2,
  waitingPerProject: 8,
  waiting: 64,
};

@Injectable()
export class RequestedChecks {
  private readonly runs = new LimitedRuns(limits);

  constructor(
    private readonly domains: DomainsRepository,
    private readonly rules: DomainRules,
    private readonly checks: DomainChecks,
    private readonly views: DomainViews,
    private readonly clock: DatabaseClock,
  ) {}

  /** Every request is a check of its own: it shows what its caller has just changed. */
  @Handles(domains.check)
  async check({ caller, body, deadline }: Incoming<DomainId>): Promise<SendingDomain> {
    const row = await this.domains.findOrFail(caller.projectId, body.id);
    if (this.rules.isTrusted(row.domain)) return this.views.one(row);
    const remainingMs = await this.clock.msUntil(deadline);
    const checked = await this.runs.run(row.projectId, newId(), remainingMs, () =>
      this.checks.check(row, deadline),
    );
    return this.views.one(checked);
  }
}
