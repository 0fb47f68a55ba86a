import { Injectable } from '@nestjs/common';
import { workflowEvents, type Authority } from '@posthorn/contracts';
import { Outbox } from '@posthorn/messaging';
import { WorkQueue } from '@posthorn/work';
import { LendersRepository } from '../authorities/lenders.repository.js';
import { scheduleWork } from '../work-kinds.js';
import type { WorkflowRow } from './workflow.entity.js';
import { WorkflowsRepository } from './workflows.repository.js';

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

@Injectable()
export class WorkflowChanges {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly schedules: Schedules,
    private readonly outbox: Outbox,
    private readonly lenders: LendersRepository,
  ) {}

  /** `everyMs` is what its schedule was before. */
  async save(row: WorkflowRow, everyMs: number | null = row.everyMs): Promise<WorkflowRow> {
    const saved = await this.workflows.save(row);
    if (saved.everyMs === null && everyMs !== null) await this.schedules.disabled(saved);
    else if (saved.everyMs !== everyMs) await this.schedules.enabled(saved);
    await this.outbox.publish(workflowEvents.changed, saved.projectId, [saved.toEvent()]);
    return saved;
  }

  lend(row: WorkflowRow, lender: Authority): Promise<void> {
    return this.lenders.lend(row, lender);
  }

  async remove(row: WorkflowRow): Promise<void> {
    const at = await this.workflows.remove(row);
    await this.schedules.disabled(row);
    await this.outbox.publish(workflowEvents.deleted, row.projectId, [row.toDeletedEvent(at)]);
  }
}
