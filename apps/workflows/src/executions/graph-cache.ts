import type { WorkflowGraph } from '@posthorn/contracts';
import type { Graphs } from '../graphs/graphs.read-model.js';

const maxGraphs = 500;

export interface ExecutableGraph {
  graph: WorkflowGraph;
  /** Whether anything in it refers to what earlier steps put out. */
  usesOutputs: boolean;
}

/** Versions never change, so they are parsed once. */
export class GraphCache {
  private readonly known = new Map<string, ExecutableGraph>();

  constructor(private readonly graphs: Graphs) {}

  async of(projectId: string, workflowId: string, version: number): Promise<ExecutableGraph | null> {
    const key = `${projectId} ${workflowId} ${version}`;
    const known = this.known.get(key);
    if (known) return known;
    const graph = await this.graphs.version(projectId, workflowId, version);
    if (!graph) return null;
    if (this.known.size >= maxGraphs) this.known.delete(this.known.keys().next().value!);
    const executable = { graph, usesOutputs: JSON.stringify(graph.steps).includes('steps.') };
    this.known.set(key, executable);
    return executable;
  }
}
