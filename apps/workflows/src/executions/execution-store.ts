import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkflowCounts, type CountChange } from '../counts/workflow-counts.repository.js';
import { RenderedTextsRepository } from '../texts/rendered-texts.repository.js';
import { WaitsRepository } from '../waits/waits.repository.js';
import { EndedExecutionEvents } from '../webhooks/events/event-calls.js';
import { hasEnded, type ExecutionChange, type StepVisit } from './execution-row.js';
import {
  ExecutionsRepository,
  countsOf,
  EndedExecutions,
  type EndedExecution,
} from './executions.repository.js';
import { People } from './people.js';
import type { Activation } from './activation.js';
import type { BegunActivations } from './activations.js';

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
    return this.counts.add(projectId, saved.flatMap(countsOfChange));
  }
}

/** A step may be entered and left in one activation; its last state counts. */
export function lastOfEach(steps: readonly StepVisit[]): StepVisit[] {
  return [...new Map(steps.map((step) => [`${step.stepId} ${step.visit}`, step])).values()];
}

function countsOfChange({ workflowId, before, status, steps, stepBefore }: ExecutionChange): CountChange[] {
  const ofSteps = lastOfEach(steps).flatMap((step): CountChange[] => {
    const wasWaiting = stepBefore === `${step.stepId} ${step.visit}`;
    const count = (counter: CountChange['counter'], by: number): CountChange => ({
      workflowId,
      stepId: step.stepId,
      counter,
      by,
    });
    return [...(wasWaiting ? [count('WAITING', -1)] : [count('ENTERED', 1)]), count(step.status, 1)];
  });
  const ofWorkflow = (counter: CountChange['counter'], by: number): CountChange => ({
    workflowId,
    stepId: null,
    counter,
    by,
  });
  return before === status ? ofSteps : [...ofSteps, ofWorkflow(before, -1), ofWorkflow(status, 1)];
}

const endedAmong = (saved: readonly ExecutionChange[]): ExecutionChange[] =>
  saved.filter(({ status }) => hasEnded(status));

/** Ends that a workflow did not decide itself, and who hears of an end. */
@Injectable()
export class ExecutionEnds {
  constructor(
    private readonly database: Database,
    private readonly executions: ExecutionsRepository,
    private readonly ended: EndedExecutions,
    private readonly counts: WorkflowCounts,
    private readonly events: EndedExecutionEvents,
    private readonly people: People,
  ) {}

  async publish(
    projectId: string,
    activations: readonly Activation[],
    saved: readonly ExecutionChange[],
  ): Promise<void> {
    const byId = new Map(activations.map((activation) => [activation.execution.id, activation]));
    const itemOf = ({ id, reason, at }: ExecutionChange) => {
      const { workflow, execution, contact } = byId.get(id)!.sources;
      const about = { at, workflow, execution, contact: { id: contact.id, email: contact.email } };
      return reason ? { ...about, reason } : about;
    };
    const ended = Map.groupBy(endedAmong(saved), ({ status }) =>
      status === 'FAILED' ? ('failed' as const) : ('completed' as const),
    );
    for (const [status, changes] of ended) await this.events.add(projectId, status, changes.map(itemOf));
  }

  now(): Promise<Date> {
    return this.executions.now();
  }

  dueTimes(projectId: string, ids: readonly string[]): Promise<Map<string, Date>> {
    return this.executions.dueTimes(projectId, ids);
  }

  /** Without their contact, or without the graph on which they started. */
  async endWithout(
    projectId: string,
    { orphans, lost }: Omit<BegunActivations, 'activations'>,
  ): Promise<void> {
    const ids = orphans.map(({ id }) => id);
    await this.end(projectId, ids, { status: 'CANCELLED', reason: 'The contact was deleted' });
    const byVersion = Map.groupBy(lost, ({ workflowVersion }) => workflowVersion);
    for (const [version, executions] of byVersion)
      await this.end(
        projectId,
        executions.map(({ id }) => id),
        { status: 'FAILED', reason: `Version ${version} of the workflow is no longer kept` },
      );
  }

  /** An execution that ended its process again and again. */
  async giveUp(projectId: string, id: string, error: string): Promise<void> {
    const about = await this.ended.about(projectId, id);
    const contact = about && (await this.contactOf(projectId, about.contactId));
    const [ended] = await this.end(projectId, [id], { status: 'FAILED', reason: error });
    if (!ended || !contact) return;
    const { workflow, startedAt } = about!;
    const item = { at: await this.now(), workflow, execution: { id, startedAt }, contact, reason: error };
    await this.events.add(projectId, 'failed', [item]);
  }

  /** Contacts may be away; the end does not wait for that. */
  private async contactOf(projectId: string, id: string): Promise<{ id: string; email: string } | null> {
    const found = await this.people.byIds(projectId, [id]).catch(() => null);
    const email = found?.get(id)?.email;
    return email === undefined ? null : { id, email };
  }

  countReopened(projectId: string, workflowId: string): Promise<void> {
    return this.counts.add(projectId, [
      { workflowId, stepId: null, counter: 'FAILED', by: -1 },
      { workflowId, stepId: null, counter: 'RUNNING', by: 1 },
    ]);
  }

  /** Ends what runs of these, in the ambient transaction or in one of its own. */
  async end(
    projectId: string,
    ids: readonly string[],
    how: { status: 'CANCELLED' | 'FAILED'; reason: string },
  ): Promise<EndedExecution[]> {
    if (ids.length === 0) return [];
    return this.database.transaction(async () => {
      const ended = await this.ended.end(projectId, ids, how);
      await this.counts.add(
        projectId,
        ended.flatMap((execution) => countsOf(execution, how.status)),
      );
      return ended;
    });
  }
}
