import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { aboveProjects } from '@posthorn/contracts';
import { work, WorkQueue, WorkRunner, type WorkBatch, type WorkHandler } from '@posthorn/work';
import { ExpiredRepository } from './expired.repository.js';

const everyMs = 10 * 60_000;
const choresWork = work('gateway.chores', { retry: { attempts: Infinity, firstMs: 1_000, longestMs: everyMs } });

/** Forgets what has expired: one item for all processes, which puts itself off. */
@Injectable()
export class ChoresWork implements WorkHandler<object>, OnApplicationBootstrap {
  constructor(
    private readonly expired: ExpiredRepository,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(choresWork, this);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.queue.enqueue(choresWork, [{ projectId: aboveProjects, key: 'expired' }]);
  }

  async run(batch: WorkBatch): Promise<void> {
    await this.expired.forget();
    await batch.later(batch.items, everyMs);
  }
}
