import type { OnApplicationBootstrap } from '@nestjs/common';
import { aboveProjects } from '@posthorn/contracts';
import type { WorkBatch } from './work-batch.js';
import type { WorkHandler, WorkKind } from '../queue/work-kind.js';
import type { WorkQueue } from '../queue/work-queue.js';
import type { WorkRunner } from './work-runner.js';

const afterDeathMs = 10 * 60_000;

/** What a service does again and again: one item for all its processes, due at each start and then whenever the last round has said. */
export abstract class RepeatedWork implements WorkHandler<object>, OnApplicationBootstrap {
  protected constructor(
    private readonly kind: WorkKind,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(kind, this);
  }

  /** Joins the ambient transaction. */
  async soon(): Promise<void> {
    await this.queue.enqueue(this.kind, [{ projectId: aboveProjects, key: this.kind.name }]);
  }

  onApplicationBootstrap(): Promise<void> {
    return this.soon();
  }

  /** It has ended its process too often: that must not be its end. */
  async dead(): Promise<void> {
    await this.queue.enqueue(this.kind, [
      { projectId: aboveProjects, key: this.kind.name, delayMs: afterDeathMs },
    ]);
  }

  async run(batch: WorkBatch): Promise<void> {
    await batch.later(batch.items, await this.round());
  }

  /** Answers in how many milliseconds the next one comes. */
  protected abstract round(): Promise<number>;
}
