import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkQueue, type WorkBatch, type WorkItem, WorkRunner, type WorkHandler } from '@posthorn/work';
import { EffectFence } from '../cancellations/effect-fence.js';
import { StepCalls } from '../webhooks/steps/step-calls.js';
import { textItem, textWork, executionWork } from '../work-kinds.js';
import { Effects, type EffectResult } from './effects.js';
import type { ExecutionChange } from './execution-row.js';
import { ExecutionEnds, ExecutionStore, type SavedChanges } from './execution-store.js';
import { isTemporary } from './temporary.js';
import type { Activation } from './activation.js';
import { type BegunActivations, Activations } from './activations.js';
import { WebhookRequests, type StepRequest } from './webhook-requests.js';

type Items = Map<string, WorkItem>;
type Requests = Map<Activation, StepRequest | Error>;

/** Everything that an activation decided is one commit: position, history, waits, calls, counts, and when it goes on. */
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

  async commit(batch: WorkBatch, items: Items, activations: readonly Activation[], now: Date): Promise<void> {
    const moved = activations.filter(({ hasMoved }) => hasMoved);
    if (moved.length === 0) return;
    const requests = await this.requestsOf(batch.projectId, moved, now);
    const changes = new Map(moved.map((activation) => [activation, activation.change(now)]));
    const { saved } = await this.database.transaction(async () => {
      const written = await this.store.save(batch.projectId, [...changes.values()]);
      await this.addCalls(batch.projectId, changes, requests, written);
      await this.ends.publish(batch.projectId, activations, written.saved);
      await this.settle(batch, items, [...changes.values()], written);
      await this.store.count(batch.projectId, written.saved);
      return written;
    });
    const written = new Set(saved);
    for (const [activation, change] of changes) {
      if (written.has(change)) activation.saved(change);
      else activation.stop = null;
    }
  }

  /** Items of executions that have ended, that wait, or whose contact or graph is gone. */
  async settleIdle(
    batch: WorkBatch,
    items: Items,
    activations: readonly Activation[],
    over: Omit<BegunActivations, 'activations'>,
  ): Promise<void> {
    const active = new Set(activations.map(({ execution }) => execution.id));
    const idle = [...items.keys()].filter((id) => !active.has(id));
    if (idle.length === 0) return;
    await this.database.transaction(async () => {
      await this.ends.endWithout(batch.projectId, over);
      await batch.complete(idle.map((id) => items.get(id)!));
      await this.enqueue(batch.projectId, await this.ends.dueTimes(batch.projectId, idle));
    });
  }

  /** Their position is stored; they go on when somebody has rendered what they send. */
  async awaitTexts(batch: WorkBatch, items: Items, activations: readonly Activation[]): Promise<void> {
    if (activations.length === 0) return;
    const ids = activations.map(({ execution }) => execution.id);
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

  private async requestsOf(
    projectId: string,
    activations: readonly Activation[],
    now: Date,
  ): Promise<Requests> {
    const calling = activations.filter(({ webhook, awaitsTexts }) => webhook !== null && !awaitsTexts);
    if (calling.length === 0) return new Map();
    const requests = await this.requests.of(projectId, calling);
    for (const [activation, request] of requests)
      if (request instanceof Error) activation.fail(request.message, now);
    return requests;
  }

  private async addCalls(
    projectId: string,
    changes: Map<Activation, ExecutionChange>,
    requests: Requests,
    { saved }: SavedChanges,
  ): Promise<void> {
    const written = new Set(saved);
    const calls = [...requests].flatMap(([activation, request]) => {
      if (request instanceof Error || !written.has(changes.get(activation)!)) return [];
      const { id: executionId, contactId } = activation.execution;
      return [{ ...request, id: activation.effectId, executionId, contactId }];
    });
    await this.calls.add(projectId, calls);
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

/** While another service is away; only a refusal fails an execution. */
const laterMs = 10_000;
/** While the project is disabled. */
const disabledMs = 60_000;

/** Executions of one project go on together: decide, store the position, do what it says, store the result (docs/decisions/0030-workflows.md). */
@Injectable()
export class ExecutionsWork implements WorkHandler<object> {
  constructor(
    private readonly activations: Activations,
    private readonly effects: Effects,
    private readonly writes: ExecutionWrites,
    private readonly fence: EffectFence,
    runner: WorkRunner,
  ) {
    runner.register(executionWork, this);
  }

  async run(batch: WorkBatch): Promise<void> {
    try {
      await this.goOn(batch);
    } catch (error) {
      if (!isTemporary(error)) throw error;
      await batch.postpone(batch.unsettled, laterMs);
    }
  }

  async dead({ projectId, key }: WorkItem, error: string): Promise<void> {
    await this.writes.giveUp(projectId, key!, error);
  }

  private async goOn(batch: WorkBatch): Promise<void> {
    const { projectId } = batch;
    if (await this.fence.isHeld(projectId)) return batch.postpone(batch.items, disabledMs);
    const items: Items = new Map(batch.items.map((item) => [item.key!, item]));
    const { activations, ...over } = await this.activations.begin(
      projectId,
      [...items.keys()],
      await this.writes.now(),
    );
    await this.writes.settleIdle(batch, items, activations, over);
    for (let active = activations; active.length > 0;) {
      await this.writes.commit(batch, items, active, await this.writes.now());
      await this.writes.awaitTexts(
        batch,
        items,
        active.filter(({ awaitsTexts }) => awaitsTexts),
      );
      active = active.filter(({ effect, awaitsTexts }) => effect !== null && !awaitsTexts);
      if (active.length === 0) return;
      if (batch.stopping) return batch.continueLater(itemsOf(active, items));
      active = await this.doEffects(batch, items, active);
    }
  }

  /** Those that went on. Others are tried again later. */
  private async doEffects(
    batch: WorkBatch,
    items: Items,
    active: readonly Activation[],
  ): Promise<Activation[]> {
    // What follows counts from here: an event that the effect causes is not before the wait for it.
    const now = await this.writes.now();
    const results = await this.effects.run(batch.projectId, active);
    const are = (kind: EffectResult['kind']) =>
      itemsOf(
        active.filter((activation) => results.get(activation)!.kind === kind),
        items,
      );
    await batch.postpone(are('later'), laterMs);
    await batch.postpone(are('held'), disabledMs);
    return active.filter((activation) => settleEffect(activation, results.get(activation)!, now));
  }
}

/** False where it is tried again. */
function settleEffect(activation: Activation, result: EffectResult, now: Date): boolean {
  switch (result.kind) {
    case 'later':
    case 'held':
    case 'over':
      return false;
    case 'refused':
      activation.fail(result.reason, now);
      return true;
    case 'done': {
      // Where a process ended after it, what it caused meanwhile is not before the next step either.
      const at = result.at && result.at < now ? result.at : now;
      activation.settle(null, result.output, at);
      activation.goOn(at);
      return true;
    }
  }
}

const itemsOf = (activations: readonly Activation[], items: Items): WorkItem[] =>
  activations.map(({ execution }) => items.get(execution.id)!);
