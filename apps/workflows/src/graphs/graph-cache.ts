import type { DelayConfig, SendEmailConfig, WorkflowGraph } from '@posthorn/contracts';
import { TtlCache } from '@posthorn/database';
import type { Graphs } from './graphs.read-model.js';

export interface ExecutableGraph {
  graph: WorkflowGraph;
  /** Whether anything in it refers to what earlier steps put out. */
  usesOutputs: boolean;
  /** Whether an effect has texts that are rendered before it. */
  usesTexts: boolean;
}

/** A version changes only by the erasure of an address, so it is not read and parsed for each execution. */
export class GraphCache {
  private readonly versions: TtlCache<ExecutableGraph | null>;

  constructor(graphs: Graphs) {
    this.versions = new TtlCache(async (projectId, workflowId, version) => {
      const graph = await graphs.version(projectId!, workflowId!, Number(version));
      return graph && { graph, usesOutputs: usesOutputs(graph), usesTexts: usesTexts(graph) };
    });
  }

  of(projectId: string, workflowId: string, version: number): Promise<ExecutableGraph | null> {
    return this.versions.of(projectId, workflowId, String(version));
  }
}

/** Rather once too often: templates and snippets may name them, too, and Liquid has more ways than `steps.name` to do so. */
const usesOutputs = ({ steps }: WorkflowGraph): boolean =>
  steps.some(
    ({ type, config }) =>
      (type === 'SEND_EMAIL' && Boolean((config as SendEmailConfig).templateId)) ||
      /steps|render/.test(JSON.stringify(config)),
  );

const usesTexts = ({ steps }: WorkflowGraph): boolean =>
  steps.some(
    ({ type, config }) =>
      type === 'WEBHOOK' ||
      (type === 'SEND_EMAIL' && (config as SendEmailConfig).recipient?.type === 'CUSTOM'),
  );

/** Whether the zone of the project may be needed. */
export const usesZone = ({ steps }: WorkflowGraph): boolean =>
  steps.some(({ type, config }) => type === 'DELAY' && (config as DelayConfig).until !== undefined);
