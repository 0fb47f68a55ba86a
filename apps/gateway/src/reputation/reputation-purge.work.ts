import { Injectable } from '@nestjs/common';
import { RepeatedWork, work, WorkQueue, WorkRunner } from '@posthorn/work';
import { ReputationRepository } from './reputation.repository.js';

const everyMs = 3_600_000;
const busyMs = 1_000;
const atOnce = 5_000;
const purgeWork = work('gateway.reputation-purges', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: everyMs },
});

@Injectable()
export class ReputationPurgeWork extends RepeatedWork {
  constructor(
    private readonly reputation: ReputationRepository,
    queue: WorkQueue,
    runner: WorkRunner,
  ) {
    super(purgeWork, queue, runner);
  }

  protected async round(): Promise<number> {
    return (await this.reputation.deleteOld(atOnce)) === atOnce ? busyMs : everyMs;
  }
}
