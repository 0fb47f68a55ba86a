import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { WorkflowCounts } from '../counts/workflow-counts.repository.js';
import { startWork, type StartBatch } from './start-kinds.js';
import { Starts } from './starts.js';

/** A start is put off by the hourly cap for a day at most. */
const maxHours = 24;
const afterDeathMs = 60_000;

/** Starts executions for one batch of events. */
@Injectable()
export class StartsWork implements WorkHandler<StartBatch> {
  constructor(
    private readonly database: Database,
    private readonly starts: Starts,
    private readonly counts: WorkflowCounts,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(startWork, this);
  }

  async run(batch: WorkBatch<StartBatch>): Promise<void> {
    const { projectId, payload } = batch.items[0]!;
    await this.database.transaction(async () => {
      const started = await this.starts.start(projectId, payload.workflowId, payload.entries);
      await batch.complete();
      await this.putOff(projectId, payload, started);
    });
  }

  async dead({ projectId, payload }: WorkItem<StartBatch>): Promise<void> {
    await this.queue.enqueue(startWork, [{ projectId, payload, delayMs: afterDeathMs }]);
  }

  /** What exceeds the cap starts in the next hour; what has waited for a day is dropped, and counted. */
  private async putOff(
    projectId: string,
    { workflowId, entries, putOff = 0 }: StartBatch,
    started: Awaited<ReturnType<Starts['start']>>,
  ): Promise<void> {
    const rest = started?.rest ?? [];
    const waited = putOff > 0 ? entries.length : 0;
    const isOver = putOff >= maxHours;
    const waiting = isOver ? 0 : rest.length;
    if (rest.length > 0 && !isOver)
      await this.queue.enqueue(startWork, [
        { projectId, payload: { workflowId, entries: rest, putOff: putOff + 1 }, dueAt: started!.nextHour },
      ]);
    await this.counts.add(projectId, [
      { workflowId, stepId: null, counter: 'PUT_OFF', by: waiting - waited },
      { workflowId, stepId: null, counter: 'DROPPED', by: isOver ? rest.length : 0 },
    ]);
  }
}
