import type { WorkflowGraph } from '@posthorn/contracts';
import { TtlCache } from '@posthorn/database';
import type { Graphs } from '../graphs/graphs.read-model.js';

export interface ExecutableGraph {
  graph: WorkflowGraph;
  /** Whether anything in it refers to what earlier steps put out. */
  usesOutputs: boolean;
}

/** A version changes only by the erasure of an address, so it is not read and parsed for each execution. */
export class GraphCache {
  private readonly versions: TtlCache<ExecutableGraph | null>;

  constructor(graphs: Graphs) {
    this.versions = new TtlCache(async (projectId, workflowId, version) => {
      const graph = await graphs.version(projectId!, workflowId!, Number(version));
      return graph && { graph, usesOutputs: JSON.stringify(graph.steps).includes('steps.') };
    });
  }

  of(projectId: string, workflowId: string, version: number): Promise<ExecutableGraph | null> {
    return this.versions.of(projectId, workflowId, String(version));
  }
}
