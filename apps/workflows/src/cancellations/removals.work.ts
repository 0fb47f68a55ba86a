import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { executionWork } from '../executions/execution-kinds.js';
import { afterDeathMs, executionRemovalWork } from './cancellation-kinds.js';
import { CancellationsRepository } from './cancellations.repository.js';

const atOnce = 500;

/** Removes what a deleted workflow leaves: its executions with their steps, and who entered it. */
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

  async run(batch: WorkBatch): Promise<void> {
    const { projectId, key } = batch.items[0]!;
    await this.database.transaction(async () => {
      await batch.hold(batch.items[0]!);
      const removed = await this.executions.removeExecutions(projectId, key!, atOnce);
      await this.queue.cancelWaiting(executionWork, projectId, removed);
      const entries = await this.executions.removeEntries(projectId, key!, atOnce);
      if (removed.length + entries.length === 0) return batch.complete();
      await batch.continueLater(batch.items);
    });
  }

  async dead({ projectId, key }: WorkItem): Promise<void> {
    await this.queue.enqueue(executionRemovalWork, [{ projectId, key: key!, delayMs: afterDeathMs }]);
  }
}
