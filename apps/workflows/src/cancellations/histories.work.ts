import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { afterDeathMs, historyRemovalWork, type RemovedSteps } from './cancellation-kinds.js';
import { CancellationsRepository } from './cancellations.repository.js';

const atOnce = 1_000;

@Injectable()
export class HistoriesWork implements WorkHandler<RemovedSteps> {
  constructor(
    private readonly database: Database,
    private readonly executions: CancellationsRepository,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(historyRemovalWork, this);
  }

  async run(batch: WorkBatch<RemovedSteps>): Promise<void> {
    const item = batch.items[0]!;
    const { projectId, payload } = item;
    await this.database.transaction(async () => {
      const ids = await this.executions.executionsBefore(projectId, payload, atOnce);
      await batch.hold(item, { ...payload, after: ids.at(-1) ?? payload.after });
      await this.executions.removeSteps(projectId, ids, payload.stepIds);
      if (ids.length < atOnce) return batch.complete();
      await batch.continueLater(batch.items);
    });
  }

  async dead({ projectId, payload }: WorkItem<RemovedSteps>): Promise<void> {
    await this.queue.enqueue(historyRemovalWork, [{ projectId, payload, delayMs: afterDeathMs }]);
  }
}
