import { Injectable } from '@nestjs/common';
import { invalid, type Authority, type GraphOfWorkflow, type InvalidMember } from '@posthorn/contracts';
import type { Incoming } from '@posthorn/messaging';
import { Admissions } from '../authorities/admissions.js';
import { WorkflowsRepository } from '../workflows/workflows.repository.js';
import { graphFaults } from './graph-rules.js';
import { GraphValidation } from './graph-validation.service.js';
import { withStoredIds } from './new-graph.js';

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
