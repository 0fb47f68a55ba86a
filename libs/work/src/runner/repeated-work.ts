import type { OnApplicationBootstrap } from '@nestjs/common';
import { noProject } from '@posthorn/contracts';
import type { WorkBatch } from './work-batch.js';
import type { WorkHandler, WorkKind } from '../queue/work-kind.js';
import type { WorkQueue } from '../queue/work-queue.js';
import type { WorkRunner } from './work-runner.js';

const afterDeathMs = 10 * 60_000;

/** One item for all processes, due at each start and then when the last round answered. */
export abstract class RepeatedWork implements WorkHandler<object>, OnApplicationBootstrap {
  protected constructor(
    private readonly kind: WorkKind,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(kind, this);
  }

  async soon(): Promise<void> {
    await this.queue.enqueue(this.kind, [{ projectId: noProject, key: this.kind.name }]);
  }

  onApplicationBootstrap(): Promise<void> {
    return this.soon();
  }

  /** Periodic work never ends, even if it killed its process several times. */
  async dead(): Promise<void> {
    await this.queue.enqueue(this.kind, [
      { projectId: noProject, key: this.kind.name, delayMs: afterDeathMs },
    ]);
  }

  async run(batch: WorkBatch): Promise<void> {
    await batch.postpone(batch.items, await this.round());
  }

  protected abstract round(): Promise<number>;
}
