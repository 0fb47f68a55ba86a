import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { WorkflowCounts } from '../counts/workflow-counts.repository.js';
import { countsOf, EndedExecutions } from '../executions/executions.repository.js';
import {
  executionWork,
  afterDeathMs,
  cancellationWork,
  pausedReason,
  historyRemovalWork,
  type RemovedSteps,
  executionRemovalWork,
} from '../work-kinds.js';
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

const visitsAtOnce = 1_000;

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
      const ids = await this.executions.executionsBefore(projectId, payload, visitsAtOnce);
      await batch.hold(item, { ...payload, after: ids.at(-1) ?? payload.after });
      await this.executions.removeSteps(projectId, ids, payload.stepIds);
      if (ids.length < visitsAtOnce) return batch.complete();
      await batch.continueLater(batch.items);
    });
  }

  async dead({ projectId, payload }: WorkItem<RemovedSteps>): Promise<void> {
    await this.queue.enqueue(historyRemovalWork, [{ projectId, payload, delayMs: afterDeathMs }]);
  }
}

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
