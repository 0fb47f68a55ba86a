import { Injectable } from '@nestjs/common';
import { RepeatedWork, work, WorkQueue, WorkRunner } from '@posthorn/work';
import { AcceptingRepository } from '../accepting/accepting.repository.js';
import { MarketingHandOffs } from '../frequency/marketing-hand-offs.repository.js';
import { SlowDownsRepository } from '../pacing/slow-downs.repository.js';
import { LeasesRepository } from './claiming/leases.repository.js';

const everyMs = 10 * 60_000;
const choresWork = work('sending.chores', { retry: { attempts: Infinity, firstMs: 1_000, maxMs: everyMs } });

@Injectable()
export class ChoresWork extends RepeatedWork {
  constructor(
    private readonly accepting: AcceptingRepository,
    private readonly leases: LeasesRepository,
    private readonly slowed: SlowDownsRepository,
    private readonly marketing: MarketingHandOffs,
    queue: WorkQueue,
    runner: WorkRunner,
  ) {
    super(choresWork, queue, runner);
  }

  protected async round(): Promise<number> {
    await this.accepting.deleteOldKeys();
    await this.leases.deleteExpired();
    await this.slowed.deleteOld();
    await this.marketing.deleteOld();
    return everyMs;
  }
}
