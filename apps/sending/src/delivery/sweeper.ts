import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Loop } from '@posthorn/messaging';
import { AcceptingRepository } from '../accepting/accepting.repository.js';
import { SendingConfig } from '../config.js';
import { DeliveryBell } from './delivery-bell.js';
import { LeasesRepository, type AmbiguousRules } from './leases.repository.js';
import { outcomeOfDeaths, outcomeOfSilence } from './outcome.js';
import { OutcomeRecorder } from './outcome-recorder.js';

const everyMs = 1_000;
const unresolvedAtOnce = 256;
const forgetEvery = 600;

/** Takes back what dead workers hold, and decides what stayed ambiguous for too long. Runs in every process, each second. */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly log = new Logger('Sweeper');
  private readonly rules: AmbiguousRules;
  private rounds = 0;
  private readonly loop = new Loop({ everyMs, work: () => this.sweep(), onError: (error) => this.log.warn((error as Error).message) });

  constructor(
    private readonly leases: LeasesRepository,
    private readonly recorder: OutcomeRecorder,
    private readonly accepting: AcceptingRepository,
    private readonly bell: DeliveryBell,
    config: SendingConfig,
  ) {
    this.rules = {
      seconds: { 0: config.ambiguousSeconds, 1: config.ambiguousMarketingSeconds },
      policies: { 0: config.ambiguousPolicy, 1: config.ambiguousMarketingPolicy },
    };
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop();
  }

  private async sweep(): Promise<void> {
    const taken = await this.leases.sweepExpired(this.rules);
    if (taken > 0) this.log.warn(`took back ${taken} messages of workers that are gone`);
    const silent = await this.leases.unresolved(this.rules, unresolvedAtOnce);
    await Promise.all(
      silent.map((row) => this.recorder.record({ ...row, subject: null, outcome: outcomeOfSilence(row.policy, row.claims) })),
    );
    const givenUp = await this.leases.givenUp(unresolvedAtOnce);
    await Promise.all(givenUp.map((row) => this.recorder.record({ ...row, subject: null, outcome: outcomeOfDeaths() })));
    if (taken + silent.length > 0) this.bell.ring();
    this.rounds += 1;
    if (this.rounds % forgetEvery === 1) await this.accepting.forgetOldKeys();
  }
}
