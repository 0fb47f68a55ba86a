import { Injectable } from '@nestjs/common';
import { WorkQueue } from '@posthorn/work';
import { executionWork } from '../executions/execution-kinds.js';
import { stepTurnWork } from './dispatch/dispatch-kinds.js';
import { originOf } from './steps/origin.js';
import { StepCallsRepository, type StepCall, type StepCallResult } from './steps/step-calls.repository.js';

/** Calls of webhook steps, for the engine. When one has ended, its execution is due. */
@Injectable()
export class StepCalls {
  constructor(
    private readonly calls: StepCallsRepository,
    private readonly queue: WorkQueue,
  ) {}

  /** Joins the ambient transaction; a call that is known changes nothing. */
  async add(calls: readonly StepCall[]): Promise<void> {
    if (calls.length === 0) return;
    const placed = calls.map((call) => ({ ...call, ...originOf(call) }));
    const failed = placed.filter(({ error }) => error !== null);
    const dueTimes = await this.calls.add(placed);
    await this.queue.enqueue(
      executionWork,
      failed.map(({ projectId, executionId: key }) => ({ projectId, key })),
    );
    await this.queue.enqueue(
      stepTurnWork,
      dueTimes.map(({ projectId, endpointId: key, dueAt }) => ({ projectId, key, dueAt })),
    );
  }

  async results(projectId: string, ids: readonly string[]): Promise<ReadonlyMap<string, StepCallResult>> {
    if (ids.length === 0) return new Map();
    const found = await this.calls.results(projectId, ids);
    return new Map(found.map(({ id, ...result }) => [id, result]));
  }
}

export type { StepCall, StepCallResult };
