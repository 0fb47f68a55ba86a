import { Injectable } from '@nestjs/common';
import {
  maxWorkflowName,
  nameOfCopy,
  workflowEvents,
  type CreateWorkflow,
  type DeletedWorkflow,
  type ListWorkflows,
  type UpdateWorkflowById,
  type Workflow,
  type WorkflowId,
  type WorkflowPage,
} from '@posthorn/contracts';
import { newId, pageWithTotal } from '@posthorn/database';
import { Outbox, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import type { Graph } from '../graphs/graph.entity.js';
import { GraphsRepository } from '../graphs/graphs.repository.js';
import { copyOf, triggerOnly } from '../graphs/new-graph.js';
import { WorkflowRow } from './workflow.entity.js';
import { WorkflowsRepository } from './workflows.repository.js';

@Injectable()
export class WorkflowsService {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly graphs: GraphsRepository,
    private readonly commits: Commits,
    private readonly outbox: Outbox,
  ) {}

  async create({ caller, body, deadline }: Incoming<CreateWorkflow>): Promise<Workflow> {
    const definition = definitionOf(caller.projectId, body);
    definition.refuseFaults();
    const row = await this.commits.before(deadline, () => this.add(definition, triggerOnly(definition)));
    return row.toWorkflow();
  }

  async get(projectId: string, id: string): Promise<Workflow> {
    return (await this.workflows.findOrFail(projectId, id)).toWorkflow();
  }

  async list(projectId: string, query: ListWorkflows): Promise<WorkflowPage> {
    const page = await pageWithTotal(query, this.workflows.list(projectId, query), () =>
      this.workflows.total(projectId),
    );
    return { ...page, items: page.items.map((row) => row.toWorkflow()) };
  }

  async update({ caller, body, deadline }: Incoming<UpdateWorkflowById>): Promise<Workflow> {
    const { id, ...changes } = body;
    const row = await this.commits.before(deadline, async () => {
      const locked = await this.workflows.lockOrFail(caller.projectId, id);
      return locked.change(changes) ? this.publish(await this.workflows.save(locked)) : locked;
    });
    return row.toWorkflow();
  }

  async delete({ caller, body, deadline }: Incoming<WorkflowId>): Promise<DeletedWorkflow> {
    await this.commits.before(deadline, async () => {
      const row = await this.workflows.lockOrFail(caller.projectId, body.id);
      const at = await this.workflows.remove(row);
      await this.outbox.publish(workflowEvents.deleted, caller.projectId, [row.toDeletedEvent(at)]);
    });
    return { id: body.id };
  }

  async clone({ caller, body, deadline }: Incoming<WorkflowId>): Promise<Workflow> {
    const row = await this.commits.before(deadline, async () => {
      const { name, ...original } = await this.workflows.lockOrFail(caller.projectId, body.id);
      const copy = definitionOf(caller.projectId, {
        ...original,
        name: nameOfCopy(name, maxWorkflowName),
        enabled: false,
      });
      return this.add(copy, copyOf(await this.graphs.of(caller.projectId, body.id), copy));
    });
    return row.toWorkflow();
  }

  private async add(definition: WorkflowRow, graph: Graph): Promise<WorkflowRow> {
    const row = await this.workflows.add(Object.assign(definition, { stepCount: graph.steps.length }));
    await this.graphs.add(graph);
    await this.graphs.addVersion(row);
    return this.publish(row);
  }

  private async publish(row: WorkflowRow): Promise<WorkflowRow> {
    await this.outbox.publish(workflowEvents.changed, row.projectId, [row.toEvent()]);
    return row;
  }
}

function definitionOf(projectId: string, wanted: CreateWorkflow): WorkflowRow {
  const { name, triggerType, description = null, enabled = false } = wanted;
  const { eventName = null, intervalMs = null, allowReentry = false, maxExecutionsPerHour = null } = wanted;
  return Object.assign(new WorkflowRow(), {
    projectId,
    id: newId(),
    name,
    description,
    enabled,
    triggerType,
    eventName,
    intervalMs,
    allowReentry,
    maxExecutionsPerHour,
    version: 1,
  });
}
