import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkflowCounts } from '../counts/workflow-counts.repository.js';
import { WorkflowEventCalls } from '../webhooks/events/workflow-event-calls.js';
import type { ExecutionChange } from './execution-row.js';
import { countsOf, EndedExecutions, type EndedExecution } from './ended-executions.repository.js';
import { endedAmong } from './execution-store.js';
import { ExecutionsRepository } from './executions.repository.js';
import { People } from './people.js';
import type { Turn } from './turn.js';
import type { BegunTurns } from './turns.js';

/** Ends that a workflow did not decide itself, and who hears of an end. */
@Injectable()
export class ExecutionEnds {
  constructor(
    private readonly database: Database,
    private readonly executions: ExecutionsRepository,
    private readonly ended: EndedExecutions,
    private readonly counts: WorkflowCounts,
    private readonly calls: WorkflowEventCalls,
    private readonly people: People,
  ) {}

  async publish(projectId: string, turns: readonly Turn[], saved: readonly ExecutionChange[]): Promise<void> {
    const byId = new Map(turns.map((turn) => [turn.execution.id, turn]));
    const events = endedAmong(saved).map(({ id, status, reason, at }) => {
      const { workflow, execution, contact } = byId.get(id)!.sources;
      const type = status === 'FAILED' ? ('workflow.failed' as const) : ('workflow.completed' as const);
      return { type, at, workflow, execution, contact: { id: contact.id, email: contact.email }, reason };
    });
    if (events.length > 0) await this.calls.add(projectId, events);
  }

  now(): Promise<Date> {
    return this.executions.now();
  }

  dueTimes(projectId: string, ids: readonly string[]): Promise<Map<string, Date>> {
    return this.executions.dueTimes(projectId, ids);
  }

  /** Without their contact, or without the graph on which they started. */
  async endWithout(projectId: string, { orphans, lost }: Omit<BegunTurns, 'turns'>): Promise<void> {
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
    const about = (await this.calls.areWanted(projectId)) ? await this.ended.about(projectId, id) : null;
    const contact = about && (await this.contactOf(projectId, about.contactId));
    const [ended] = await this.end(projectId, [id], { status: 'FAILED', reason: error });
    if (!ended || !contact) return;
    const { workflow, startedAt } = about!;
    await this.calls.add(projectId, [
      {
        type: 'workflow.failed',
        at: await this.now(),
        workflow,
        execution: { id, startedAt },
        contact,
        reason: error,
      },
    ]);
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
