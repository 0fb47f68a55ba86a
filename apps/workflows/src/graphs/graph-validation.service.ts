import { Injectable } from '@nestjs/common';
import {
  isUuid,
  templates,
  maxFindings,
  workflowGraphs,
  type Caller,
  type GraphFinding,
  type GraphFindings,
  type GraphOfWorkflow,
  type InvalidMember,
} from '@posthorn/contracts';
import { Bus, Handles, type Incoming } from '@posthorn/messaging';
import { WorkflowsRepository } from '../workflows/workflows.repository.js';
import { loopReason } from '../starts/starts.repository.js';
import { Graphs } from './graphs.read-model.js';
import { graphFindings } from './graph-findings.js';
import { withStoredIds } from './new-graph.js';

const loopFinding: GraphFinding = {
  pointer: '',
  code: 'workflows_start_each_other',
  message: 'Executions were stopped lately, because workflows started one another again and again',
  severity: 'WARNING',
};

const time = { timeoutShare: 0.6 };

@Injectable()
export class GraphValidation {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly graphs: Graphs,
    private readonly bus: Bus,
  ) {}

  @Handles(workflowGraphs.validate)
  async validate({ caller, body: { id, ...given } }: Incoming<GraphOfWorkflow>): Promise<GraphFindings> {
    await this.workflows.findOrFail(caller.projectId, id);
    const graph = withStoredIds(given);
    const missing = await this.missingTemplates(caller, graph);
    const findings = graphFindings(graph, missing);
    const isLooping = await this.graphs.wasStopped(caller.projectId, id, loopReason);
    return { findings: isLooping ? [loopFinding, ...findings].slice(0, maxFindings) : findings };
  }

  /** Steps whose template is not one of the project. */
  async missingTemplates(
    caller: Caller,
    { steps }: Pick<GraphOfWorkflow, 'steps'>,
  ): Promise<InvalidMember[]> {
    const named = steps.flatMap(({ config }, index) => {
      const { templateId } = config;
      return typeof templateId === 'string' && isUuid(templateId)
        ? [{ index, templateId: templateId.toLowerCase() }]
        : [];
    });
    const known = await this.knownTemplates(caller, [...new Set(named.map(({ templateId }) => templateId))]);
    return named
      .filter(({ templateId }) => !known.has(templateId))
      .map(({ index }) => ({
        path: ['steps', String(index), 'config', 'templateId'],
        code: 'not_found',
        message: 'must be a template of the project',
      }));
  }

  /** A graph cannot have more steps than one call takes ids. */
  private async knownTemplates(caller: Caller, ids: string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    return new Set((await this.bus.call(templates.known, caller, { ids }, time)).ids);
  }
}
