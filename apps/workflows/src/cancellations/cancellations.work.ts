import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { WorkflowCounts } from '../counts/workflow-counts.repository.js';
import { countsOf, EndedExecutions } from '../executions/ended-executions.repository.js';
import { executionWork } from '../executions/execution-kinds.js';
import { afterDeathMs, cancellationWork, pausedReason } from './cancellation-kinds.js';
import { CancellationsRepository } from './cancellations.repository.js';

const atOnce = 500;

@Injectable()
export class CancellationsWork implements WorkHandler<object> {
  constructor(
    private readonly database: Database,
    private readonly executions: CancellationsRepository,
    private readonly ends: EndedExecutions,
    private readonly counts: WorkflowCounts,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(cancellationWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    const { projectId, key } = batch.items[0]!;
    await this.database.transaction(async () => {
      await batch.hold(batch.items[0]!);
      const ids = await this.executions.stopped(projectId, key!, atOnce);
      if (ids.length === 0) return batch.complete();
      const ended = await this.ends.end(projectId, ids, { status: 'CANCELLED', reason: pausedReason });
      await this.queue.cancelWaiting(executionWork, projectId, ids);
      await batch.continueLater(batch.items);
      await this.counts.add(
        projectId,
        ended.flatMap((execution) => countsOf(execution, 'CANCELLED')),
      );
    });
  }

  async dead({ projectId, key }: WorkItem): Promise<void> {
    await this.queue.enqueue(cancellationWork, [{ projectId, key: key!, delayMs: afterDeathMs }]);
  }
}
