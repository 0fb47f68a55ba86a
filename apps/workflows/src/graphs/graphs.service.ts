import { Injectable } from '@nestjs/common';
import {
  invalid,
  type Authority,
  type GraphOfWorkflow,
  type InvalidMember,
  workflowNotFound,
  workflowVersionNotFound,
  workflowGraphs,
  segmentUses,
  templateUses,
  type GetSegmentUses,
  type VersionOfWorkflow,
  type WorkflowGraph,
  type SegmentUses,
  type TemplateId,
  type TemplateUse,
  type WorkflowId,
} from '@posthorn/contracts';
import { type Incoming, Handles } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { Admissions } from '../authorities/admissions.js';
import { Cancellations } from '../cancellations/cancellations.js';
import { WorkflowChanges } from '../workflows/workflow-changes.js';
import { WorkflowsRepository } from '../workflows/workflows.repository.js';
import { unconfigured } from './graph-findings.js';
import { graphFaults } from './graph-rules.js';
import { GraphValidation } from './graph-validation.service.js';
import { Graphs } from './graphs.read-model.js';
import { GraphsRepository } from './graphs.repository.js';
import { withStoredIds, givenGraph } from './new-graph.js';

export interface CheckedGraph {
  graph: GraphOfWorkflow;
  /** Of an enabled workflow. */
  missingTemplates: InvalidMember[];
  lender: Authority;
}

/** What is asked of others before the workflow is locked. */
@Injectable()
export class GraphChecks {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly validation: GraphValidation,
    private readonly admissions: Admissions,
  ) {}

  async of({ caller, body }: Pick<Incoming<GraphOfWorkflow>, 'caller' | 'body'>): Promise<CheckedGraph> {
    const graph = withStoredIds(body);
    const faults = graphFaults(graph);
    if (faults.length > 0) throw invalid(faults);
    const { enabled } = await this.workflows.findOrFail(caller.projectId, graph.id);
    const lender = await this.admissions.lender(caller, graph.steps);
    const missingTemplates = enabled ? await this.validation.missingTemplates(caller, graph) : [];
    return { graph, missingTemplates, lender };
  }
}

/** Replaces a graph as a whole, in one transaction. */
@Injectable()
export class GraphReplacement {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly graphs: GraphsRepository,
    private readonly checks: GraphChecks,
    private readonly cancellations: Cancellations,
    private readonly changes: WorkflowChanges,
    private readonly commits: Commits,
  ) {}

  /** An enabled workflow stays one that can be executed. */
  async put(call: Incoming<GraphOfWorkflow>): Promise<void> {
    const { graph: body, missingTemplates, lender } = await this.checks.of(call);
    await this.commits.before(call.deadline, async () => {
      const row = await this.workflows.lockOrFail(call.caller.projectId, body.id);
      const missing = row.enabled ? [...unconfigured(body), ...missingTemplates] : [];
      if (missing.length > 0) throw invalid(missing);
      await this.cancellations.refuseRunning(row);
      const graph = givenGraph(row, body);
      const removed = await this.graphs.replace(row, graph);
      Object.assign(row, { version: row.version + 1, stepCount: graph.steps.length });
      const saved = await this.changes.save(row);
      await this.graphs.addVersion(saved, lender);
      await this.cancellations.removeHistory(saved, removed);
    });
  }
}

@Injectable()
export class GraphsService {
  constructor(
    private readonly graphs: Graphs,
    private readonly replacement: GraphReplacement,
  ) {}

  @Handles(workflowGraphs.get)
  async get({ caller, body }: Incoming<WorkflowId>): Promise<WorkflowGraph> {
    const graph = await this.graphs.find(caller.projectId, body.id);
    if (!graph) throw workflowNotFound();
    return graph;
  }

  @Handles(workflowGraphs.version)
  async version({
    caller: { projectId },
    body: { id, version },
  }: Incoming<VersionOfWorkflow>): Promise<WorkflowGraph> {
    const graph = await this.graphs.version(projectId, id, version);
    if (!graph) throw workflowVersionNotFound();
    return graph;
  }

  @Handles(workflowGraphs.put)
  async put(call: Incoming<GraphOfWorkflow>): Promise<WorkflowGraph> {
    await this.replacement.put(call);
    return this.get(call);
  }

  @Handles(segmentUses.workflows)
  async usesSegment({ caller, body }: Incoming<GetSegmentUses>): Promise<SegmentUses> {
    return { names: await this.graphs.enabledBySegment(caller.projectId, body) };
  }

  @Handles(templateUses.workflows)
  async usesTemplate({ caller, body }: Incoming<TemplateId>): Promise<TemplateUse> {
    return { used: await this.graphs.anyEnabledBy(caller.projectId, body.id) };
  }
}
