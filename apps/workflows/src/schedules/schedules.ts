import { Injectable } from '@nestjs/common';
import { WorkQueue } from '@posthorn/work';
import type { WorkflowRow } from '../workflows/workflow.entity.js';
import { scheduleWork } from '../work-kinds.js';

/** When the workflows with the trigger SCHEDULE start. Both join the ambient transaction. */
@Injectable()
export class Schedules {
  constructor(private readonly queue: WorkQueue) {}

  /** The first start is one interval later. */
  async enabled({ projectId, id, triggerType, intervalMs }: WorkflowRow): Promise<void> {
    if (triggerType !== 'SCHEDULE') return;
    await this.queue.cancel(scheduleWork, projectId, id);
    await this.queue.enqueue(scheduleWork, [{ projectId, key: id, delayMs: Number(intervalMs) }]);
  }

  async disabled({ projectId, id }: WorkflowRow): Promise<void> {
    await this.queue.cancel(scheduleWork, projectId, id);
  }
}
