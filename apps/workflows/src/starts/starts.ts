import { Injectable } from '@nestjs/common';
import { WorkQueue } from '@posthorn/work';
import { WorkflowCounts } from '../counts/workflow-counts.repository.js';
import { executionWork } from '../executions/execution-kinds.js';
import type { StartEntry } from './start-kinds.js';
import { StartsRepository, type Startable, type StartedBy } from './starts.repository.js';

export interface Started {
  ids: { id: string; contactId: string }[];
  /** For whom the hourly cap leaves no room. */
  rest: StartEntry[];
  nextHour: Date;
  secondsLeft: number;
}

/** Starts executions; joins the ambient transaction. */
@Injectable()
export class Starts {
  constructor(
    private readonly starts: StartsRepository,
    private readonly counts: WorkflowCounts,
    private readonly queue: WorkQueue,
  ) {}

  /** Null where the workflow is not enabled. */
  async start(
    projectId: string,
    workflowId: string,
    entries: readonly StartEntry[],
    start: Partial<StartedBy> = {},
  ): Promise<Started | null> {
    const startable = await this.starts.lock(projectId, workflowId);
    if (!startable) return null;
    const { left, nextHour, secondsLeft } = startable;
    const allowed = left === null ? entries : entries.slice(0, left);
    const ids = await this.insert(projectId, workflowId, startable, allowed, start);
    return { ids, rest: entries.slice(allowed.length), nextHour, secondsLeft };
  }

  private async insert(
    projectId: string,
    workflowId: string,
    startable: Startable,
    entries: readonly StartEntry[],
    start: Partial<StartedBy>,
  ): Promise<{ id: string; contactId: string }[]> {
    if (entries.length === 0) return [];
    const started = await this.starts.insert(projectId, workflowId, startable, entries, start);
    if (startable.left !== null) await this.starts.countHour(projectId, workflowId, started.length);
    await this.queue.enqueue(
      executionWork,
      started.map(({ id }) => ({ projectId, key: id })),
    );
    await this.counts.add(projectId, [{ workflowId, stepId: null, counter: 'RUNNING', by: started.length }]);
    return started;
  }
}
