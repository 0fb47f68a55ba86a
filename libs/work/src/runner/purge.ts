import type { FactoryProvider, Type } from '@nestjs/common';
import { work } from '../queue/work-kind.js';
import { WorkQueue } from '../queue/work-queue.js';
import { RepeatedWork } from './repeated-work.js';
import { WorkRunner } from './work-runner.js';

const everyMs = 3_600_000;
const busyMs = 1_000;

class Purge extends RepeatedWork {
  constructor(
    name: string,
    private readonly deleteSome: () => Promise<boolean>,
    queue: WorkQueue,
    runner: WorkRunner,
  ) {
    super(work(name, { retry: { attempts: Infinity, firstMs: busyMs, maxMs: everyMs } }), queue, runner);
  }

  protected async round(): Promise<number> {
    return (await this.deleteSome()) ? busyMs : everyMs;
  }
}

/** Deletes what is no longer kept, every hour and again while `deleteSome` says that there may be more. */
export const purgeOf = <Repository>(
  name: string,
  repository: Type<Repository>,
  deleteSome: (repository: Repository) => Promise<boolean>,
): FactoryProvider => ({
  provide: `purge of ${name}`,
  useFactory: (from: Repository, queue: WorkQueue, runner: WorkRunner) =>
    new Purge(name, () => deleteSome(from), queue, runner),
  inject: [repository, WorkQueue, WorkRunner],
});
