import { Injectable } from '@nestjs/common';
import { RepeatedWork, work, WorkQueue, WorkRunner } from '@posthorn/work';
import { WaitsRepository } from './waits.repository.js';

const awaitedPurgeWork = work('workflows.awaited-purges');
const everyMs = 10 * 60_000;

/** Removes events that no wait can be about any more. */
@Injectable()
export class AwaitedPurges extends RepeatedWork {
  constructor(
    private readonly waits: WaitsRepository,
    queue: WorkQueue,
    runner: WorkRunner,
  ) {
    super(awaitedPurgeWork, queue, runner);
  }

  protected async round(): Promise<number> {
    return (await this.waits.purge()) > 0 ? 0 : everyMs;
  }
}
