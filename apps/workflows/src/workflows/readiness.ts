import { Injectable } from '@nestjs/common';
import { invalid, workflowNotFound, type Caller } from '@posthorn/contracts';
import { GraphValidation } from '../graphs/graph-validation.service.js';
import { unconfigured } from '../graphs/graph-findings.js';
import { Graphs } from '../graphs/graphs.read-model.js';
import { SegmentReferences } from './segment-references.js';
import type { WorkflowRow } from './workflow.entity.js';

/** What a workflow needs before it is enabled: configured steps, and that their templates and its segment exist. */
@Injectable()
export class Readiness {
  constructor(
    private readonly graphs: Graphs,
    private readonly validation: GraphValidation,
    private readonly segments: SegmentReferences,
  ) {}

  /** Answers the version that was looked at: others are asked before the workflow is locked. */
  async check(caller: Caller, { projectId, id, segmentId }: WorkflowRow): Promise<number> {
    const graph = await this.graphs.find(projectId, id);
    if (!graph) throw workflowNotFound();
    const faults = [...unconfigured(graph), ...(await this.validation.missingTemplates(caller, graph))];
    if (faults.length > 0) throw invalid(faults);
    await this.segments.refuseUnknown(caller, segmentId);
    return graph.version;
  }
}
