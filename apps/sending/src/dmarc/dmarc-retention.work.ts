import { Injectable } from '@nestjs/common';
import { RepeatedWork, work, WorkQueue, WorkRunner } from '@posthorn/work';
import { DmarcRepository } from './dmarc.repository.js';

const keptDays = 400;
const everyMs = 6 * 60 * 60_000;
const busyMs = 1_000;
const atOnce = 5_000;
const oldDmarcWork = work('sending.old-dmarc', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: everyMs },
});

@Injectable()
export class OldDmarcWork extends RepeatedWork {
  constructor(
    private readonly reports: DmarcRepository,
    queue: WorkQueue,
    runner: WorkRunner,
  ) {
    super(oldDmarcWork, queue, runner);
  }

  protected async round(): Promise<number> {
    return (await this.reports.deleteOld(keptDays, atOnce)) ? busyMs : everyMs;
  }
}
