import { Injectable } from '@nestjs/common';
import { RepeatedWork, work, WorkQueue, WorkRunner } from '@posthorn/work';
import { OldCallsRepository } from './old-calls.repository.js';

const everyMs = 3_600_000;
const busyMs = 1_000;
const atOnce = 5_000;
const oldCallsWork = work('workflows.old-calls', {
  retry: { attempts: Infinity, firstMs: 1_000, maxMs: everyMs },
});

@Injectable()
export class OldCallsWork extends RepeatedWork {
  constructor(
    private readonly calls: OldCallsRepository,
    queue: WorkQueue,
    runner: WorkRunner,
  ) {
    super(oldCallsWork, queue, runner);
  }

  protected async round(): Promise<number> {
    return (await this.calls.deleteSome(atOnce)) ? busyMs : everyMs;
  }
}
