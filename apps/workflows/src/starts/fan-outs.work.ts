import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { WorkQueue, WorkRunner, type WorkBatch, type WorkHandler, type WorkItem } from '@posthorn/work';
import {
  fanOutWork,
  maxEntriesAtOnce,
  maxStartedAtOnce,
  maxStartEntries,
  startWork,
  type Arrival,
  entriesInTurn,
  workflowsInTurn,
  type FanOut,
  type StartBatch,
} from '../work-kinds.js';
import { Starts } from './starts.work.js';
import { StartsRepository, type Triggered } from './starts.repository.js';

/** Starts what events trigger: a few workflows at once, many by turns. Joins the ambient transaction, which stays small. */
@Injectable()
export class FanOuts {
  constructor(
    private readonly starts: StartsRepository,
    private readonly begun: Starts,
    private readonly queue: WorkQueue,
  ) {}

  async begin(projectId: string, arrivals: readonly Arrival[]): Promise<void> {
    const triggered = await this.triggered(projectId, arrivals, maxStartedAtOnce + 1);
    if (triggered.length <= maxStartedAtOnce) return this.start(projectId, triggered, arrivals);
    const names = new Set(triggered.map(({ eventName }) => eventName));
    const isComplete = names.size === new Set(arrivals.map(({ name }) => name)).size;
    const waiting = isComplete ? arrivals.filter(({ name }) => names.has(name)) : arrivals;
    await this.queue.enqueue(fanOutWork, [{ projectId, payload: { arrivals: [...waiting] } }]);
  }

  triggered(
    projectId: string,
    arrivals: readonly Arrival[],
    limit: number,
    after?: string,
  ): Promise<Triggered[]> {
    const names = [...new Set(arrivals.map(({ name }) => name))];
    return this.starts.triggeredBy(projectId, names, limit, after);
  }

  async start(
    projectId: string,
    triggered: readonly Triggered[],
    arrivals: readonly Arrival[],
  ): Promise<void> {
    const byName = Map.groupBy(arrivals, ({ name }) => name);
    const batches = triggered.flatMap(({ id: workflowId, eventName }) => {
      const entries = byName.get(eventName)!.map(({ contactId, id, name, data, at, cause }) => ({
        contactId,
        event: { id, name, data, at, cause },
      }));
      const parts = [];
      for (let from = 0; from < entries.length; from += maxStartEntries)
        parts.push({
          projectId,
          payload: { workflowId, entries: entries.slice(from, from + maxStartEntries) },
        });
      return parts;
    });
    return this.startOrEnqueue(batches);
  }

  /** A few at once, in the transaction of the event; many take long, and get their turn. */
  private async startOrEnqueue(
    batches: readonly { projectId: string; payload: StartBatch }[],
  ): Promise<void> {
    const entries = batches.reduce((sum, { payload }) => sum + payload.entries.length, 0);
    if (entries > maxEntriesAtOnce) return this.queue.enqueue(startWork, batches);
    for (const { projectId, payload } of batches) await this.begun.startBatch(projectId, payload);
  }
}

const afterDeathMs = 60_000;

/** One turn: the next workflows, as many as the events allow. */
@Injectable()
export class FanOutsWork implements WorkHandler<FanOut> {
  constructor(
    private readonly database: Database,
    private readonly fanOuts: FanOuts,
    private readonly queue: WorkQueue,
    runner: WorkRunner,
  ) {
    runner.register(fanOutWork, this);
  }

  async run(batch: WorkBatch<FanOut>): Promise<void> {
    const { projectId } = batch;
    const items = together(batch.items);
    const others = batch.items.filter((item) => !items.includes(item));
    const arrivals = items.flatMap(({ payload }) => payload.arrivals);
    const limit = Math.max(1, Math.min(workflowsInTurn, Math.floor(entriesInTurn / arrivals.length)));
    await this.database.transaction(async () => {
      const { after } = items[0]!.payload;
      const triggered = await this.fanOuts.triggered(projectId, arrivals, limit, after);
      await this.fanOuts.start(projectId, triggered, arrivals);
      await batch.continueLater(others);
      if (triggered.length < limit) return batch.complete(items);
      for (const item of items) await batch.hold(item, { ...item.payload, after: triggered.at(-1)!.id });
      await batch.continueLater(items);
    });
  }

  async dead({ projectId, payload }: WorkItem<FanOut>): Promise<void> {
    await this.queue.enqueue(fanOutWork, [{ projectId, payload, delayMs: afterDeathMs }]);
  }
}

/** Those that are as far as the first, while they are few enough for one turn. */
function together(items: readonly WorkItem<FanOut>[]): WorkItem<FanOut>[] {
  const [first] = items as [WorkItem<FanOut>];
  const taken = [first];
  let entries = first.payload.arrivals.length;
  for (const item of items.slice(1)) {
    const isAsFar = item.payload.after === first.payload.after;
    if (!isAsFar || entries + item.payload.arrivals.length > entriesInTurn) continue;
    taken.push(item);
    entries += item.payload.arrivals.length;
  }
  return taken;
}
