import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import { WorkflowCounts } from '../counts/workflow-counts.repository.js';
import { executionWork, type StartEntry, startWork, type StartBatch } from '../work-kinds.js';
import {
  StartsRepository,
  type Startable,
  type StartedBy,
  type StartedExecution,
} from './starts.repository.js';

export interface Started {
  ids: StartedExecution[];
  /** For whom the hourly cap leaves no room. */
  rest: StartEntry[];
  nextHour: Date;
  secondsLeft: number;
}

/** A start is put off by the hourly cap for a day at most. */
const maxHours = 24;

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
    const admitted =
      left === null ? entries : await this.admissible(projectId, workflowId, startable, entries);
    const allowed = left === null ? admitted : admitted.slice(0, left);
    const ids = await this.insert(projectId, workflowId, startable, allowed, start);
    return { ids, rest: admitted.slice(allowed.length), nextHour, secondsLeft };
  }

  /** What exceeds the cap starts in the next hour; what has waited for a day is dropped, and counted. */
  async startBatch(projectId: string, { workflowId, entries, putOff = 0 }: StartBatch): Promise<void> {
    const started = await this.start(projectId, workflowId, entries);
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

  /** Who is refused needs no room under the cap. */
  private async admissible(
    projectId: string,
    workflowId: string,
    startable: Startable,
    entries: readonly StartEntry[],
  ): Promise<StartEntry[]> {
    const byContact = new Map(entries.map((entry) => [entry.contactId, entry]));
    const found = await this.starts.admissible(projectId, workflowId, startable, [...byContact.keys()]);
    return [...byContact.values()].filter(({ contactId }) => found.has(contactId));
  }

  private async insert(
    projectId: string,
    workflowId: string,
    startable: Startable,
    entries: readonly StartEntry[],
    start: Partial<StartedBy>,
  ): Promise<StartedExecution[]> {
    if (entries.length === 0) return [];
    const started = await this.starts.insert(projectId, workflowId, startable, entries, start);
    const running = started.filter(({ isStopped }) => !isStopped);
    if (startable.left !== null) await this.starts.countHour(projectId, workflowId, running.length);
    await this.queue.enqueue(
      executionWork,
      running.map(({ id }) => ({ projectId, key: id })),
    );
    await this.counts.add(projectId, [
      { workflowId, stepId: null, counter: 'RUNNING', by: running.length },
      { workflowId, stepId: null, counter: 'FAILED', by: started.length - running.length },
    ]);
    return started;
  }
}

const afterDeathMs = 60_000;

/** Starts executions for one batch of events. */
@Injectable()
export class StartsWork implements WorkHandler<StartBatch> {
  constructor(
    private readonly database: Database,
    private readonly starts: Starts,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(startWork, this);
  }

  async run(batch: WorkBatch<StartBatch>): Promise<void> {
    const { projectId, payload } = batch.items[0]!;
    await this.database.transaction(async () => {
      await this.starts.startBatch(projectId, payload);
      await batch.complete();
    });
  }

  async dead({ projectId, payload }: WorkItem<StartBatch>): Promise<void> {
    await this.queue.enqueue(startWork, [{ projectId, payload, delayMs: afterDeathMs }]);
  }
}
