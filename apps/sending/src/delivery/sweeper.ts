import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Loop, IdleBackoff } from '@posthorn/messaging';
import { SendingConfig } from '../config.js';
import { ClaimsRepository } from './claiming/claims.repository.js';
import { DeliveryWakeUp } from './delivery-wake-up.js';
import { Lease } from './claiming/lease.js';
import { LeasesRepository, policiesOf, type AmbiguousRules } from './claiming/leases.repository.js';
import { failure, outcomeOfTooManyClaims, outcomeOfAmbiguity } from './outcomes/outcome.js';
import { OutcomeRecorder } from './outcomes/outcome-recorder.js';

const everyMs = 1_000;
const unresolvedAtOnce = 256;
const disabledEveryMs = 60_000;

/** Returns messages of dead workers and resolves deliveries that stayed ambiguous. Runs in every process. */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('Sweeper');
  private disabledCheckedAt = -Infinity;
  private readonly rules: AmbiguousRules;
  private readonly polling: IdleBackoff;
  private readonly loop = new Loop({
    everyMs,
    work: () => this.sweep(),
    onError: (error) => this.log.warn((error as Error).message),
  });

  constructor(
    private readonly leases: LeasesRepository,
    private readonly recorder: OutcomeRecorder,
    private readonly claims: ClaimsRepository,
    private readonly wakeUp: DeliveryWakeUp,
    private readonly lease: Lease,
    config: SendingConfig,
  ) {
    // While nothing is queued it runs often enough to notice a new claim before its lease can expire.
    this.polling = new IdleBackoff(everyMs, Math.max(everyMs, (config.leaseSeconds * 1_000) / 6));
    this.rules = {
      seconds: { 0: config.ambiguousSeconds, 1: config.ambiguousMarketingSeconds },
      policies: policiesOf(config),
    };
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop();
  }

  private async sweep(): Promise<number> {
    if (await this.claims.isIdle()) return this.polling.delayMs({ busy: false });
    // Before the first lease, overdue mail may still have to be held.
    if (this.lease.workerId === null) return this.polling.delayMs({ busy: true });
    const taken = await this.leases.sweepExpired(this.rules);
    if (taken > 0) this.log.warn(`took back ${taken} messages of dead workers`);
    const unresolved = await this.leases.unresolved(this.rules, unresolvedAtOnce);
    await Promise.all(
      unresolved.map((row) =>
        this.recorder.record({ ...row, subject: null, outcome: outcomeOfAmbiguity(row) }),
      ),
    );
    const claimedTooOften = await this.leases.claimedTooOften(unresolvedAtOnce);
    await Promise.all(
      claimedTooOften.map((row) =>
        this.recorder.record({ ...row, subject: null, outcome: outcomeOfTooManyClaims(row) }),
      ),
    );
    await this.failDisabled();
    if (taken + unresolved.length > 0) this.wakeUp.wake();
    return this.polling.delayMs({ busy: true });
  }

  /** Every minute is often enough for messages that are a day old. */
  private async failDisabled(): Promise<void> {
    if (performance.now() < this.disabledCheckedAt + disabledEveryMs) return;
    this.disabledCheckedAt = performance.now();
    const pastWindow = await this.claims.disabledPastWindow(unresolvedAtOnce);
    const outcome = failure('project_disabled', 'The project is disabled');
    await Promise.all(pastWindow.map((row) => this.recorder.record({ ...row, subject: null, outcome })));
    if (pastWindow.length === unresolvedAtOnce) this.disabledCheckedAt = -Infinity;
  }
}
