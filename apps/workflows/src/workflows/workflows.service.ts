import { Injectable } from '@nestjs/common';
import {
  workflowEvents,
  type Authority,
  type CreateWorkflow,
  invalid,
  maxWorkflowName,
  nameOfCopy,
  workflows,
  type ListWorkflows,
  type Workflow,
  type WorkflowId,
  type WorkflowPage,
  workflowFormat,
  workflowNotFound,
  workflowDocuments,
  type ExportedWorkflow,
  type ImportWorkflow,
} from '@posthorn/contracts';
import { newId, pageWithTotal } from '@posthorn/database';
import { Outbox, Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { Admissions } from '../authorities/admissions.js';
import { authorityOf } from '../authorities/standings.js';
import { graphFaults } from '../graphs/graph-rules.js';
import type { Graph } from '../graphs/graph.entity.js';
import { Graphs } from '../graphs/graphs.read-model.js';
import { GraphsRepository } from '../graphs/graphs.repository.js';
import { copyOf, triggerOnly, givenGraph, withStoredIds } from '../graphs/new-graph.js';
import { SegmentReferences } from './segment-references.js';
import { WorkflowRow, createdEnabled } from './workflow.entity.js';
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
function definitionOf(projectId: string, wanted: CreateWorkflow): WorkflowRow {
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

@Injectable()
export class DocumentsService {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly graphs: Graphs,
    private readonly additions: NewWorkflows,
    private readonly segments: SegmentReferences,
    private readonly admissions: Admissions,
    private readonly commits: Commits,
  ) {}

  @Handles(workflowDocuments.export)
  async export({ caller: { projectId }, body: { id } }: Incoming<WorkflowId>): Promise<ExportedWorkflow> {
    const row = await this.workflows.findOrFail(projectId, id);
    const graph = await this.graphs.find(projectId, id);
    if (!graph) throw workflowNotFound();
    const { name, description, triggerType, eventName, intervalMs, segmentId } = row;
    const { allowReentry, maxExecutionsPerHour, exitWhen } = row;
    return {
      format: workflowFormat,
      name,
      description,
      triggerType,
      eventName,
      intervalMs,
      segmentId,
      allowReentry,
      maxExecutionsPerHour,
      exitWhen,
      graph: { steps: graph.steps, transitions: graph.transitions },
    };
  }

  @Handles(workflowDocuments.import)
  async import({ caller, body, deadline }: Incoming<ImportWorkflow>): Promise<Workflow> {
    const { format: _, graph: given, ...wanted } = body;
    const graph = withStoredIds(given);
    const definition = definitionOf(caller.projectId, wanted);
    const faults = graphFaults(graph).map((fault) => ({ ...fault, path: ['graph', ...fault.path] }));
    const all = [...definition.faults, ...faults];
    if (all.length > 0) throw invalid(all);
    await this.segments.refuseUnknown(caller, definition.segmentId);
    const lender = await this.admissions.lender(caller, graph.steps);
    const row = await this.commits.before(deadline, () =>
      this.additions.add(definition, givenGraph(definition, graph), lender),
    );
    return row.toWorkflow();
  }
}
