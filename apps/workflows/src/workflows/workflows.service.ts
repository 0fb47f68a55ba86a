import { Injectable } from '@nestjs/common';
import {
  invalid,
  maxWorkflowName,
  nameOfCopy,
  workflows,
  type CreateWorkflow,
  type ListWorkflows,
  type Workflow,
  type WorkflowId,
  type WorkflowPage,
} from '@posthorn/contracts';
import { pageWithTotal } from '@posthorn/database';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { authorityOf } from '../authorities/rights.js';
import { GraphsRepository } from '../graphs/graphs.repository.js';
import { copyOf, triggerOnly } from '../graphs/new-graph.js';
import { definitionOf, NewWorkflows } from './new-workflows.js';
import { SegmentReferences } from './segment-references.js';
import { createdEnabled } from './workflow.entity.js';
import { WorkflowsRepository } from './workflows.repository.js';

@Injectable()
export class WorkflowsService {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly graphs: GraphsRepository,
    private readonly additions: NewWorkflows,
    private readonly segments: SegmentReferences,
    private readonly commits: Commits,
  ) {}

  @Handles(workflows.create)
  async create({ caller, body, deadline }: Incoming<CreateWorkflow>): Promise<Workflow> {
    const definition = definitionOf(caller.projectId, body);
    const faults = [...definition.faults, ...(body.enabled ? [createdEnabled] : [])];
    if (faults.length > 0) throw invalid(faults);
    await this.segments.refuseUnknown(caller, definition.segmentId);
    const row = await this.commits.before(deadline, () =>
      this.additions.add(definition, triggerOnly(definition), authorityOf(caller)),
    );
    return row.toWorkflow();
  }

  @Handles(workflows.get)
  async get({ caller: { projectId }, body: { id } }: Incoming<WorkflowId>): Promise<Workflow> {
    return (await this.workflows.findOrFail(projectId, id)).toWorkflow();
  }

  @Handles(workflows.list)
  async list({ caller: { projectId }, body: query }: Incoming<ListWorkflows>): Promise<WorkflowPage> {
    const page = await pageWithTotal(query, this.workflows.list(projectId, query), () =>
      this.workflows.total(projectId),
    );
    return { ...page, items: page.items.map((row) => row.toWorkflow()) };
  }

  /** What it names is not checked again: a copy has to pass that when it is enabled. */
  @Handles(workflows.clone)
  async clone({ caller, body, deadline }: Incoming<WorkflowId>): Promise<Workflow> {
    const row = await this.commits.before(deadline, async () => {
      const original = await this.workflows.lockOrFail(caller.projectId, body.id);
      const name = nameOfCopy(original.name, maxWorkflowName);
      const copy = definitionOf(caller.projectId, { ...original, name });
      const graph = copyOf(await this.graphs.of(caller.projectId, body.id), copy);
      return this.additions.add(copy, graph, authorityOf(caller));
    });
    return row.toWorkflow();
  }
}
