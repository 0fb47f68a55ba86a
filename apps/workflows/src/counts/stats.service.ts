import { Injectable } from '@nestjs/common';
import {
  executionStatuses,
  executions,
  type StepStats,
  type WorkflowStats,
  type WorkflowId,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Graphs } from '../graphs/graphs.read-model.js';
import { WorkflowsRepository } from '../workflows/workflows.repository.js';
import { WorkflowCounts, type WorkflowCount } from './workflow-counts.repository.js';

@Injectable()
export class StatsService {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly graphs: Graphs,
    private readonly counts: WorkflowCounts,
  ) {}

  @Handles(executions.stats)
  async of({ caller: { projectId }, body: { id } }: Incoming<WorkflowId>): Promise<WorkflowStats> {
    await this.workflows.findOrFail(projectId, id);
    const [graph, counts] = await Promise.all([
      this.graphs.find(projectId, id),
      this.counts.of(projectId, id),
    ]);
    const value = (stepId: string | null, counter: WorkflowCount['counter']): number =>
      counts.find((count) => count.stepId === stepId && count.counter === counter)?.value ?? 0;
    return {
      executions: Object.fromEntries(executionStatuses.map((status) => [status, value(null, status)])),
      putOff: value(null, 'PUT_OFF'),
      dropped: value(null, 'DROPPED'),
      steps: (graph?.steps ?? []).map(({ id: stepId }): StepStats => ({
        stepId,
        entered: value(stepId, 'ENTERED'),
        waiting: value(stepId, 'WAITING'),
        done: value(stepId, 'DONE'),
        skipped: value(stepId, 'SKIPPED'),
        failed: value(stepId, 'FAILED'),
      })),
    };
  }
}
