import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { executionWork } from '../executions/execution-kinds.js';
import { afterDeathMs, executionRemovalWork } from './cancellation-kinds.js';
import { CancellationsRepository } from './cancellations.repository.js';

const atOnce = 500;

@Injectable()
export class RemovalsWork implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly executions: CancellationsRepository,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(executionRemovalWork, this);
  }

  run(batch: WorkBatch): Promise<void> {
    return this.database.transaction(() => this.step(batch, batch.items[0]!));
  }

  async dead({ projectId, key }: WorkItem): Promise<void> {
    await this.queue.enqueue(executionRemovalWork, [{ projectId, key: key!, delayMs: afterDeathMs }]);
  }

  private async step(batch: WorkBatch, item: WorkItem): Promise<void> {
    const { projectId, key } = item;
    await batch.hold(item);
    const removed = await this.executions.removeExecutions(projectId, key!, atOnce);
    await this.queue.cancelWaiting(executionWork, projectId, removed);
    const entries = await this.executions.removeEntries(projectId, key!, atOnce);
    if (removed.length + entries.length === 0) return batch.complete();
    await batch.continueLater(batch.items);
  }
}
