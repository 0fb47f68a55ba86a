import { Injectable } from '@nestjs/common';
import { invalid, type GraphOfWorkflow } from '@posthorn/contracts';
import type { Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { Cancellations } from '../cancellations/cancellations.js';
import { WorkflowChanges } from '../workflows/workflow-changes.js';
import { WorkflowsRepository } from '../workflows/workflows.repository.js';
import { GraphChecks } from './graph-checks.js';
import { unconfigured } from './graph-findings.js';
import { GraphsRepository } from './graphs.repository.js';
import { givenGraph } from './new-graph.js';

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
