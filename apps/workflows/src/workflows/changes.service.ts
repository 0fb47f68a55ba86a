import { Injectable } from '@nestjs/common';
import {
  invalid,
  workflowNotFound,
  type Authority,
  type Caller,
  type WorkflowGraph,
  maxEnabledWorkflows,
  tooManyEnabledWorkflows,
  workflowChanged,
  workflows,
  type DeletedWorkflow,
  type ResumedWorkflow,
  type UpdateWorkflow,
  type UpdateWorkflowById,
  type Workflow,
  type WorkflowId,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { Commits } from '@posthorn/platform';
import { Admissions } from '../authorities/admissions.js';
import { Cancellations } from '../cancellations/cancellations.js';
import { unconfigured } from '../graphs/graph-findings.js';
import { GraphValidation } from '../graphs/graph-validation.service.js';
import { Graphs } from '../graphs/graphs.read-model.js';
import { SegmentReferences } from './segment-references.js';
import { WorkflowChanges } from './workflow-changes.js';
import type { WorkflowRow } from './workflow.entity.js';
import { WorkflowsRepository } from './workflows.repository.js';

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

/** Whoever decides when an enabled workflow acts, and for whom, does so in his own name. */
const publishes = (
  { enabled }: WorkflowRow,
  { name: _name, description: _text, ...acting }: UpdateWorkflow,
) => enabled && Object.keys(acting).length > 0;

@Injectable()
export class ChangesService {
  constructor(
    private readonly workflows: WorkflowsRepository,
    private readonly readiness: Readiness,
    private readonly segments: SegmentReferences,
    private readonly cancellations: Cancellations,
    private readonly changes: WorkflowChanges,
    private readonly commits: Commits,
  ) {}

  /** Disabling it stops only what has not begun. */
  @Handles(workflows.update)
  async update(call: Incoming<UpdateWorkflowById>): Promise<Workflow> {
    return (await this.change(call)).toWorkflow();
  }

  @Handles(workflows.resume)
  async resume(call: Incoming<WorkflowId>): Promise<ResumedWorkflow> {
    const row = await this.change({ ...call, body: { id: call.body.id, enabled: true } });
    return { workflow: row.toWorkflow(), cancelledExecutions: 0 };
  }

  /** Also of a disabled workflow, whose executions go on until they are cancelled. */
  @Handles(workflows.pause)
  async pause({ caller, body, deadline }: Incoming<WorkflowId>): Promise<ResumedWorkflow> {
    return this.commits.before(deadline, async () => {
      await this.cancellations.awaitEffects(caller.projectId, body.id);
      const row = await this.workflows.lockOrFail(caller.projectId, body.id);
      const { everyMs, enabled } = row;
      const cancelledExecutions = await this.cancellations.cancel(row);
      if (!enabled && cancelledExecutions === 0) return { workflow: row.toWorkflow(), cancelledExecutions };
      row.enabled = false;
      const saved = await this.changes.save(row, everyMs);
      return { workflow: saved.toWorkflow(), cancelledExecutions };
    });
  }

  @Handles(workflows.delete)
  async delete({ caller, body, deadline }: Incoming<WorkflowId>): Promise<DeletedWorkflow> {
    await this.commits.before(deadline, async () => {
      const row = await this.workflows.lockOrFail(caller.projectId, body.id);
      await this.cancellations.refuseRunning(row);
      await this.changes.remove(row);
      await this.cancellations.remove(row);
    });
    return { id: body.id };
  }

  /** Other services are asked before the workflow is locked; a graph that was replaced meanwhile was not looked at. */
  private async change({ caller, body, deadline }: Incoming<UpdateWorkflowById>): Promise<WorkflowRow> {
    const { id, ...changes } = body;
    const looked = await this.lookAt(caller, await this.workflows.findOrFail(caller.projectId, id), changes);
    return this.commits.before(deadline, async () => {
      const locked = await this.workflows.lockOrFail(caller.projectId, id);
      const { everyMs } = locked;
      const wasEnabled = locked.enabled;
      const isChanged = locked.change(changes);
      if (locked.enabled && !wasEnabled) await this.refuseTooMany(caller.projectId);
      if (publishes(locked, changes)) {
        if (locked.version !== looked?.version) throw workflowChanged();
        await this.changes.lend(locked, looked.lender);
      }
      return isChanged ? this.changes.save(locked, everyMs) : locked;
    });
  }

  private async refuseTooMany(projectId: string): Promise<void> {
    if ((await this.workflows.countEnabled(projectId)) >= maxEnabledWorkflows)
      throw tooManyEnabledWorkflows();
  }

  private async lookAt(caller: Caller, known: WorkflowRow, changes: UpdateWorkflow): Promise<Looked | null> {
    const isEnabling = changes.enabled === true && !known.enabled;
    known.change(changes);
    if (isEnabling) return this.readiness.check(caller, known);
    await this.segments.refuseUnknown(caller, changes.segmentId);
    return publishes(known, changes) ? this.readiness.lender(caller, known) : null;
  }
}
