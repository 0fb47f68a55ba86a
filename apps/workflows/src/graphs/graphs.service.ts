import { Injectable } from '@nestjs/common';
import {
  invalid,
  workflowEvents,
  workflowNotFound,
  workflowRunning,
  workflowVersionNotFound,
  type GetSegmentUses,
  type GraphOfWorkflow,
  type VersionOfWorkflow,
  type WorkflowGraph,
} from '@posthorn/contracts';
import { Outbox, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { ExecutionsRepository } from '../executions/executions.repository.js';
import { WorkflowsRepository } from '../workflows/workflows.repository.js';
import { unconfigured } from './graph-findings.js';
import { graphFaults } from './graph-rules.js';
import { Graphs } from './graphs.read-model.js';
import { GraphsRepository } from './graphs.repository.js';
import { givenGraph } from './new-graph.js';

@Injectable()
export class GraphsService {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly graphs: GraphsRepository,
    private readonly documents: Graphs,
    private readonly executions: ExecutionsRepository,
    private readonly changes: Commits,
    private readonly events: Outbox,
  ) {}

  async get(projectId: string, id: string): Promise<WorkflowGraph> {
    const graph = await this.documents.find(projectId, id);
    if (!graph) throw workflowNotFound();
    return graph;
  }

  async version(projectId: string, { id, version }: VersionOfWorkflow): Promise<WorkflowGraph> {
    const graph = await this.documents.version(projectId, id, version);
    if (!graph) throw workflowVersionNotFound();
    return graph;
  }

  /** An enabled workflow stays one that can be executed. */
  async put({ caller: { projectId }, body, deadline }: Incoming<GraphOfWorkflow>): Promise<WorkflowGraph> {
    const faults = graphFaults(body);
    if (faults.length > 0) throw invalid(faults);
    await this.changes.before(deadline, async () => {
      const row = await this.workflows.lockOrFail(projectId, body.id);
      const missing = row.enabled ? unconfigured(body) : [];
      if (missing.length > 0) throw invalid(missing);
      if (await this.executions.anyRunning(projectId, body.id)) throw workflowRunning();
      const graph = givenGraph(row, body);
      await this.graphs.replace(row, graph);
      Object.assign(row, { version: row.version + 1, stepCount: graph.steps.length });
      const saved = await this.workflows.save(row);
      await this.graphs.addVersion(saved);
      await this.events.publish(workflowEvents.changed, projectId, [saved.toEvent()]);
    });
    return this.get(projectId, body.id);
  }

  enabledBySegment(projectId: string, segment: GetSegmentUses): Promise<string[]> {
    return this.documents.enabledBySegment(projectId, segment);
  }

  usesTemplate(projectId: string, templateId: string): Promise<boolean> {
    return this.documents.anyEnabledBy(projectId, templateId);
  }
}
