import { Injectable } from '@nestjs/common';
import {
  invalid,
  workflowNotFound,
  type Authority,
  type Caller,
  type WorkflowGraph,
} from '@posthorn/contracts';
import { Admissions } from '../authorities/admissions.js';
import { GraphValidation } from '../graphs/graph-validation.service.js';
import { unconfigured } from '../graphs/graph-findings.js';
import { Graphs } from '../graphs/graphs.read-model.js';
import { SegmentReferences } from './segment-references.js';
import type { WorkflowRow } from './workflow.entity.js';

/** What was looked at: others are asked before the workflow is locked. */
export interface Looked {
  version: number;
  lender: Authority;
}

/** What a workflow needs before it is enabled: configured steps, that their templates and its segment exist, and somebody who may do what it does. */
@Injectable()
export class Readiness {
  constructor(
    private readonly graphs: Graphs,
    private readonly validation: GraphValidation,
    private readonly segments: SegmentReferences,
    private readonly admissions: Admissions,
  ) {}

  async check(caller: Caller, row: WorkflowRow): Promise<Looked> {
    const graph = await this.graphOf(row);
    const faults = [...unconfigured(graph), ...(await this.validation.missingTemplates(caller, graph))];
    if (faults.length > 0) throw invalid(faults);
    await this.segments.refuseUnknown(caller, row.segmentId);
    return this.lookedAt(caller, graph);
  }

  /** Of one that is enabled already. */
  async lender(caller: Caller, row: WorkflowRow): Promise<Looked> {
    return this.lookedAt(caller, await this.graphOf(row));
  }

  private async lookedAt(caller: Caller, { version, steps }: WorkflowGraph): Promise<Looked> {
    return { version, lender: await this.admissions.lender(caller, steps) };
  }

  private async graphOf({ projectId, id }: WorkflowRow): Promise<WorkflowGraph> {
    const graph = await this.graphs.find(projectId, id);
    if (!graph) throw workflowNotFound();
    return graph;
  }
}
