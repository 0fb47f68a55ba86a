import { Injectable } from '@nestjs/common';
import {
  workflowNotFound,
  workflowVersionNotFound,
  type GetSegmentUses,
  type GraphOfWorkflow,
  type VersionOfWorkflow,
  type WorkflowGraph,
} from '@posthorn/contracts';
import type { Incoming } from '@posthorn/messaging';
import { GraphReplacement } from './graph-replacement.js';
import { Graphs } from './graphs.read-model.js';

@Injectable()
export class GraphsService {
  constructor(
    private readonly graphs: Graphs,
    private readonly replacement: GraphReplacement,
  ) {}

  async get(projectId: string, id: string): Promise<WorkflowGraph> {
    const graph = await this.graphs.find(projectId, id);
    if (!graph) throw workflowNotFound();
    return graph;
  }

  async version(projectId: string, { id, version }: VersionOfWorkflow): Promise<WorkflowGraph> {
    const graph = await this.graphs.version(projectId, id, version);
    if (!graph) throw workflowVersionNotFound();
    return graph;
  }

  async put(call: Incoming<GraphOfWorkflow>): Promise<WorkflowGraph> {
    await this.replacement.put(call);
    return this.get(call.caller.projectId, call.body.id);
  }

  enabledBySegment(projectId: string, segment: GetSegmentUses): Promise<string[]> {
    return this.graphs.enabledBySegment(projectId, segment);
  }

  usesTemplate(projectId: string, templateId: string): Promise<boolean> {
    return this.graphs.anyEnabledBy(projectId, templateId);
  }
}
