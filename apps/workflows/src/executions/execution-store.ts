import { Injectable } from '@nestjs/common';
import { WorkflowCounts, type CountChange } from '../counts/workflow-counts.repository.js';
import { RenderedTextsRepository } from '../texts/rendered-texts.repository.js';
import { WaitsRepository } from '../waits/waits.repository.js';
import { hasEnded, type ExecutionChange, type StepVisit } from './execution-row.js';
import { ExecutionsRepository } from './executions.repository.js';

export interface SavedChanges {
  saved: ExecutionChange[];
  /** Their event had come already, so they go on at once. */
  met: Set<string>;
}

/** The rows of executions, in one order of locks: workflows, events that are awaited, executions, counts. */
@Injectable()
export class ExecutionStore {
  constructor(
    private readonly executions: ExecutionsRepository,
    private readonly waits: WaitsRepository,
    private readonly texts: RenderedTextsRepository,
    private readonly counts: WorkflowCounts,
  ) {}

  /** In the ambient transaction. Leaves out executions that were paused, cancelled or moved by somebody else meanwhile. */
  async save(projectId: string, changes: readonly ExecutionChange[]): Promise<SavedChanges> {
    if (changes.length === 0) return { saved: [], met: new Set() };
    const waiting = changes.flatMap(({ id, contactId, awaits, dueAt }) =>
      awaits === null ? [] : [{ executionId: id, contactId, ...awaits, until: dueAt! }],
    );
    await this.executions.lockAgainstPauses(projectId, [
      ...new Set(changes.map(({ workflowId }) => workflowId)),
    ]);
    await this.waits.lock(projectId, waiting);
    const ids = await this.executions.save(projectId, changes);
    const saved = changes.filter(({ id }) => ids.has(id));
    await this.executions.saveSteps(
      projectId,
      saved.flatMap(({ steps }) => lastOfEach(steps)),
    );
    await this.waits.remove(
      projectId,
      saved.filter(({ waitedFor }) => waitedFor === 'EVENT').map(({ id }) => id),
    );
    await this.texts.remove(
      projectId,
      saved.filter(({ hadTexts }) => hadTexts).map(({ id }) => id),
    );
    const met = await this.waits.register(
      projectId,
      waiting.filter(({ executionId }) => ids.has(executionId)),
    );
    return { saved, met: new Set(met) };
  }

  requestTexts(projectId: string, ids: readonly string[]): Promise<void> {
    return this.texts.request(projectId, ids);
  }

  count(projectId: string, saved: readonly ExecutionChange[]): Promise<void> {
    return this.counts.add(projectId, saved.flatMap(countsOf));
  }
}

/** A step may be entered and left in one turn; its last state counts. */
export function lastOfEach(steps: readonly StepVisit[]): StepVisit[] {
  return [...new Map(steps.map((step) => [`${step.stepId} ${step.visit}`, step])).values()];
}

function countsOf({ workflowId, before, status, steps, stepBefore }: ExecutionChange): CountChange[] {
  const ofSteps = lastOfEach(steps).flatMap((step): CountChange[] => {
    const wasWaiting = stepBefore === `${step.stepId} ${step.visit}`;
    const count = (counter: CountChange['counter'], by: number): CountChange => ({
      ...{ workflowId, stepId: step.stepId, counter, by },
    });
    return [...(wasWaiting ? [count('WAITING', -1)] : [count('ENTERED', 1)]), count(step.status, 1)];
  });
  const ofWorkflow = (counter: CountChange['counter'], by: number): CountChange => ({
    ...{ workflowId, stepId: null, counter, by },
  });
  return before === status ? ofSteps : [...ofSteps, ofWorkflow(before, -1), ofWorkflow(status, 1)];
}

export const endedAmong = (saved: readonly ExecutionChange[]): ExecutionChange[] =>
  saved.filter(({ status }) => hasEnded(status));
