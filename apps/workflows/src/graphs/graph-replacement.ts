import { Injectable } from '@nestjs/common';
import { invalid, type GraphOfWorkflow } from '@posthorn/contracts';
import type { Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { Cancellations } from '../cancellations/cancellations.js';
import { WorkflowChanges } from '../workflows/workflow-changes.js';
import { WorkflowsRepository } from '../workflows/workflows.repository.js';
import { unconfigured } from './graph-findings.js';
import { graphFaults } from './graph-rules.js';
import { GraphValidation } from './graph-validation.service.js';
import { GraphsRepository } from './graphs.repository.js';
import { givenGraph, withStoredIds } from './new-graph.js';

/** Replaces a graph as a whole, in one transaction. */
@Injectable()
export class GraphReplacement {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly graphs: GraphsRepository,
    private readonly validation: GraphValidation,
    private readonly cancellations: Cancellations,
    private readonly changes: WorkflowChanges,
    private readonly commits: Commits,
  ) {}

  /** An enabled workflow stays one that can be executed. */
  async put({ caller, body: given, deadline }: Incoming<GraphOfWorkflow>): Promise<void> {
    const { projectId } = caller;
    const body = withStoredIds(given);
    const faults = graphFaults(body);
    if (faults.length > 0) throw invalid(faults);
    const { enabled } = await this.workflows.findOrFail(projectId, body.id);
    const unknown = enabled ? await this.validation.missingTemplates(caller, body) : [];
    await this.commits.before(deadline, async () => {
      const row = await this.workflows.lockOrFail(projectId, body.id);
      const missing = row.enabled ? [...unconfigured(body), ...unknown] : [];
      if (missing.length > 0) throw invalid(missing);
      await this.cancellations.refuseRunning(row);
      const graph = givenGraph(row, body);
      const removed = await this.graphs.replace(row, graph);
      Object.assign(row, { version: row.version + 1, stepCount: graph.steps.length });
      const saved = await this.changes.save(row);
      await this.graphs.addVersion(saved);
      await this.cancellations.removeHistory(saved, removed);
    });
  }
}
