import { Injectable } from '@nestjs/common';
import { RepeatedWork, work, WorkQueue, WorkRunner } from '@posthorn/work';
import { OldCounts } from './old-counts.repository.js';

const everyMs = 3_600_000;
const atOnce = 5_000;
const oldCountsWork = work('analytics.old-counts', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: everyMs },
});

/** Removes hours and days that are no longer kept, and the links of campaigns that have none left. */
@Injectable()
export class OldCountsWork extends RepeatedWork {
  constructor(
    private readonly counts: OldCounts,
    queue: WorkQueue,
    runner: WorkRunner,
  ) {
    super(oldCountsWork, queue, runner);
  }

  protected async round(): Promise<number> {
    return (await this.counts.deleteSome(atOnce)) ? 0 : everyMs;
  }
}
