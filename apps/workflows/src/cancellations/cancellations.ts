import { Injectable } from '@nestjs/common';
import { workflowRunning } from '@posthorn/contracts';
import { WorkQueue } from '@posthorn/work';
import type { WorkflowRow } from '../workflows/workflow.entity.js';
import { cancellationWork, executionRemovalWork, historyRemovalWork } from '../work-kinds.js';
import { EffectFence } from './effect-fence.js';
import { CancellationsRepository } from './cancellations.repository.js';

/** What becomes of the executions of a locked workflow; everything joins the ambient transaction. */
@Injectable()
export class Cancellations {
  constructor(
    private readonly executions: CancellationsRepository,
    private readonly fence: EffectFence,
    private readonly queue: WorkQueue,
  ) {}

  async refuseRunning(row: WorkflowRow): Promise<void> {
    if (await this.executions.anyRunning(row)) throw workflowRunning();
  }

  /** Before the workflow is locked. */
  awaitEffects(projectId: string, workflowId: string): Promise<void> {
    return this.fence.close(projectId, workflowId);
  }

  /** From the commit on none of them does anything; their rows follow in batches. Answers how many they are. */
  async cancel(row: WorkflowRow): Promise<number> {
    const { count, at } = await this.executions.countRunning(row);
    const { projectId, id } = row;
    row.endExecutions(at);
    if (count > 0) await this.queue.enqueue(cancellationWork, [{ projectId, key: id }]);
    return count;
  }

  async remove({ projectId, id }: WorkflowRow): Promise<void> {
    await this.queue.enqueue(executionRemovalWork, [{ projectId, key: id }]);
  }

  async removeHistory({ projectId, id, version }: WorkflowRow, stepIds: string[]): Promise<void> {
    if (stepIds.length === 0) return;
    await this.queue.enqueue(historyRemovalWork, [
      { projectId, payload: { workflowId: id, stepIds, version } },
    ]);
  }
}
