import { Injectable } from '@nestjs/common';
import {
  invalid,
  workflowFormat,
  workflowNotFound,
  workflowDocuments,
  type Workflow,
  type ExportedWorkflow,
  type ImportWorkflow,
  type WorkflowId,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { Admissions } from '../authorities/admissions.js';
import { graphFaults } from '../graphs/graph-rules.js';
import { Graphs } from '../graphs/graphs.read-model.js';
import { givenGraph, withStoredIds } from '../graphs/new-graph.js';
import { definitionOf, NewWorkflows } from './new-workflows.js';
import { SegmentReferences } from './segment-references.js';
import { WorkflowsRepository } from './workflows.repository.js';

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
      ...{ name, description, triggerType, eventName, intervalMs, segmentId },
      ...{ allowReentry, maxExecutionsPerHour, exitWhen },
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
