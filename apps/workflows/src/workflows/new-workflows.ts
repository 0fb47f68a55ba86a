import { Injectable } from '@nestjs/common';
import { workflowEvents, type Authority, type CreateWorkflow } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Outbox } from '@posthorn/messaging';
import type { Graph } from '../graphs/graph.entity.js';
import { GraphsRepository } from '../graphs/graphs.repository.js';
import { WorkflowRow } from './workflow.entity.js';
import { WorkflowsRepository } from './workflows.repository.js';

/** Adds workflows in the ambient transaction, with their graph as their first version. */
@Injectable()
export class NewWorkflows {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly graphs: GraphsRepository,
    private readonly outbox: Outbox,
  ) {}

  async add(definition: WorkflowRow, graph: Graph, lender: Authority): Promise<WorkflowRow> {
    const row = await this.workflows.add(Object.assign(definition, { stepCount: graph.steps.length }));
    await this.graphs.add(graph);
    await this.graphs.addVersion(row, lender);
    await this.outbox.publish(workflowEvents.changed, row.projectId, [row.toEvent()]);
    return row;
  }
}

/** Always disabled, whatever is wanted. */
export function definitionOf(projectId: string, wanted: CreateWorkflow): WorkflowRow {
  const { name, triggerType, description = null, allowReentry = false, exitWhen = null } = wanted;
  const { eventName = null, intervalMs = null, segmentId = null, maxExecutionsPerHour = null } = wanted;
  return Object.assign(new WorkflowRow(), {
    projectId,
    id: newId(),
    name,
    description,
    enabled: false,
    triggerType,
    eventName,
    intervalMs,
    segmentId,
    allowReentry,
    maxExecutionsPerHour,
    exitWhen,
    version: 1,
    generation: 1,
    pausedAt: null,
  });
}
