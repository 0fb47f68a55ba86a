import { Injectable } from '@nestjs/common';
import { audiences, serviceCaller, type AudiencePage } from '@posthorn/contracts';
import { Database, DatabaseClock } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { maxStartEntries, startWork, scheduleWork, type SchedulePosition } from '../work-kinds.js';
import { WorkflowsRepository } from '../workflows/workflows.repository.js';
import type { WorkflowRow } from '../workflows/workflow.entity.js';
import { audienceOfSegment } from '../workflows/segment-references.js';

const contactsAtOnce = 5_000;
const pageMs = 20_000;
const afterDeathMs = 60_000;

/** Starts a workflow for the members of its segment, page by page; then the next interval begins. What was missed runs once. */
@Injectable()
export class SchedulesWork implements WorkHandler<SchedulePosition> {
  constructor(
    private readonly database: Database,
    private readonly workflows: WorkflowsRepository,
    private readonly clock: DatabaseClock,
    private readonly bus: Bus,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(scheduleWork, this);
  }

  async run(batch: WorkBatch<SchedulePosition>): Promise<void> {
    const item = batch.items[0]!;
    const { projectId, key, payload } = item;
    const workflow = await this.workflows.find(projectId, key!);
    if (!workflow?.enabled || workflow.triggerType !== 'SCHEDULE') return;
    const until = payload.until ?? (await this.clock.now()).toISOString();
    const { items, next } = await this.page(workflow, payload.after, until);
    await this.database.transaction(async () => {
      await this.enqueueStarts(
        workflow,
        items
          .filter(({ subscribed }) => subscribed || workflow.segmentId !== null)
          .map(({ contactId }) => contactId),
      );
      await batch.hold(item, next === null ? {} : { after: next, until });
      if (next !== null) return batch.continueLater([item]);
      await batch.postpone([item], nextStart(new Date(until), Number(workflow.intervalMs)));
    });
  }

  async dead({ projectId, key, payload }: WorkItem<SchedulePosition>): Promise<void> {
    await this.queue.enqueue(scheduleWork, [{ projectId, key: key!, payload, delayMs: afterDeathMs }]);
  }

  private page(
    { projectId, segmentId }: WorkflowRow,
    after: string | undefined,
    until: string,
  ): Promise<AudiencePage> {
    return this.bus.call(
      audiences.page,
      serviceCaller('workflows', projectId),
      {
        audience: audienceOfSegment(segmentId),
        ...(after === undefined ? {} : { after }),
        until: new Date(until),
        limit: contactsAtOnce,
      },
      { timeoutMs: pageMs },
    );
  }

  private async enqueueStarts(
    { projectId, id: workflowId }: WorkflowRow,
    contactIds: string[],
  ): Promise<void> {
    const starts = [];
    for (let from = 0; from < contactIds.length; from += maxStartEntries) {
      const entries = contactIds
        .slice(from, from + maxStartEntries)
        .map((contactId) => ({ contactId, event: null }));
      starts.push({ projectId, payload: { workflowId, entries } });
    }
    await this.queue.enqueue(startWork, starts);
  }
}

const nextStart = (last: Date, intervalMs: number): Date => new Date(last.getTime() + intervalMs);
