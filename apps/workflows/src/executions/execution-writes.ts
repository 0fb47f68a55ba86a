import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkQueue, type WorkBatch, type WorkItem } from '@posthorn/work';
import { textItem, textWork } from '../texts/text-kinds.js';
import { StepCalls } from '../webhooks/step-calls.js';
import { ExecutionEnds } from './execution-ends.js';
import { executionWork } from './execution-kinds.js';
import type { DueExecution, ExecutionChange } from './execution-row.js';
import { ExecutionStore, type SavedChanges } from './execution-store.js';
import type { Turn } from './turn.js';
import { WebhookRequests, type StepRequest } from './webhook-requests.js';

export type Items = Map<string, WorkItem>;
type Requests = Map<Turn, StepRequest | Error>;

/** Everything that a turn decided is one commit: position, history, waits, calls, counts, and when it goes on. */
@Injectable()
export class ExecutionWrites {
  constructor(
    private readonly database: Database,
    private readonly store: ExecutionStore,
    private readonly requests: WebhookRequests,
    private readonly calls: StepCalls,
    private readonly ends: ExecutionEnds,
    private readonly queue: WorkQueue,
  ) {}

  async commit(batch: WorkBatch, items: Items, turns: readonly Turn[], now: Date): Promise<void> {
    const moved = turns.filter(({ hasMoved }) => hasMoved);
    if (moved.length === 0) return;
    const requests = await this.requestsOf(batch.projectId, moved, now);
    const changes = new Map(moved.map((turn) => [turn, turn.change(now)]));
    const { saved } = await this.database.transaction(async () => {
      const written = await this.store.save(batch.projectId, [...changes.values()]);
      await this.addCalls(batch.projectId, changes, requests, written);
      await this.ends.publish(batch.projectId, turns, written.saved);
      await this.settle(batch, items, [...changes.values()], written);
      await this.store.count(batch.projectId, written.saved);
      return written;
    });
    const written = new Set(saved);
    for (const [turn, change] of changes) {
      if (written.has(change)) turn.saved(change);
      else turn.stop = null;
    }
  }

  /** Items of executions that have ended, that wait, or whose contact is gone. */
  async settleIdle(
    batch: WorkBatch,
    items: Items,
    turns: readonly Turn[],
    orphans: readonly DueExecution[],
  ): Promise<void> {
    const active = new Set(turns.map(({ execution }) => execution.id));
    const idle = [...items.keys()].filter((id) => !active.has(id));
    if (idle.length === 0) return;
    await this.database.transaction(async () => {
      await this.ends.cancelOrphans(batch.projectId, orphans);
      await batch.complete(idle.map((id) => items.get(id)!));
      await this.enqueue(batch.projectId, await this.ends.dueTimes(batch.projectId, idle));
    });
  }

  /** Their position is stored; they go on when somebody has rendered what they send. */
  async awaitTexts(batch: WorkBatch, items: Items, turns: readonly Turn[]): Promise<void> {
    if (turns.length === 0) return;
    const ids = turns.map(({ execution }) => execution.id);
    await this.database.transaction(async () => {
      await this.store.requestTexts(batch.projectId, ids);
      await batch.complete(ids.map((id) => items.get(id)!));
      await this.queue.enqueue(textWork, [textItem(batch.projectId)]);
    });
  }

  /** Of Postgres itself: an estimate may be ahead, and miss an event that the next effect causes. */
  now(): Promise<Date> {
    return this.ends.now();
  }

  giveUp(projectId: string, id: string, error: string): Promise<void> {
    return this.ends.giveUp(projectId, id, error);
  }

  private async requestsOf(projectId: string, turns: readonly Turn[], now: Date): Promise<Requests> {
    const calling = turns.filter(({ webhook, awaitsTexts }) => webhook !== null && !awaitsTexts);
    if (calling.length === 0) return new Map();
    const requests = await this.requests.of(projectId, calling);
    for (const [turn, request] of requests) if (request instanceof Error) turn.fail(request.message, now);
    return requests;
  }

  private async addCalls(
    projectId: string,
    changes: Map<Turn, ExecutionChange>,
    requests: Requests,
    { saved }: SavedChanges,
  ): Promise<void> {
    const written = new Set(saved);
    const calls = [...requests].flatMap(([turn, request]) => {
      if (request instanceof Error || !written.has(changes.get(turn)!)) return [];
      const { id: executionId, contactId } = turn.execution;
      return [{ ...request, projectId, id: turn.effectId, executionId, contactId }];
    });
    if (calls.length > 0) await this.calls.add(calls);
  }

  /** What has an effect to do keeps its item. Of what somebody else has moved, a new one is due when its row says so: whoever moved it may have lost its own. */
  private async settle(
    batch: WorkBatch,
    items: Items,
    changes: readonly ExecutionChange[],
    { saved, met }: SavedChanges,
  ): Promise<void> {
    const written = new Set(saved);
    const moved = changes.filter((change) => !written.has(change)).map(({ id }) => id);
    const stopped = changes.filter((change) => !written.has(change) || change.status !== 'RUNNING');
    const waiting = saved.filter(({ status }) => status === 'WAITING');
    await batch.complete(stopped.map(({ id }) => items.get(id)!));
    const dueTimes = moved.length > 0 ? await this.ends.dueTimes(batch.projectId, moved) : [];
    await this.enqueue(
      batch.projectId,
      new Map([
        ...dueTimes,
        ...waiting.map(({ id, dueAt }) => [id, met.has(id) ? new Date(0) : dueAt!] as const),
      ]),
    );
  }

  private async enqueue(projectId: string, dueTimes: Map<string, Date>): Promise<void> {
    await this.queue.enqueue(
      executionWork,
      [...dueTimes].map(([key, dueAt]) => ({ projectId, key, dueAt })),
    );
  }
}
