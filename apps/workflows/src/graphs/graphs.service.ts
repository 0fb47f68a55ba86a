import { Injectable } from '@nestjs/common';
import {
  workflowNotFound,
  workflowVersionNotFound,
  workflowGraphs,
  segmentUses,
  templateUses,
  type GetSegmentUses,
  type GraphOfWorkflow,
  type VersionOfWorkflow,
  type WorkflowGraph,
  type SegmentUses,
  type TemplateId,
  type TemplateUse,
  type WorkflowId,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { GraphReplacement } from './graph-replacement.js';
import { Graphs } from './graphs.read-model.js';

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
