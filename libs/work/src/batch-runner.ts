import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { isDatabaseAway } from '@posthorn/database';
import { inSpan, readTraces, runInScene, type Tracing } from '@posthorn/telemetry';
import { retryDelay } from './retry.js';
import type { SettlingRepository } from './settling.repository.js';
import { processGate } from './solo-gate.js';
import { LeaseLost, WorkBatch, type ClaimedItem } from './work-batch.js';
import type { WorkHandler, WorkKind } from './work-kind.js';
import type { WorkMetrics } from './work.metrics.js';

export interface BatchRunnerOptions {
  settling: SettlingRepository;
  metrics: WorkMetrics;
  tracing: Tracing;
  /** There is room for more. */
  onFree: () => void;
  /** Something was given back that another process may do at once. */
  onGivenBack: () => void;
}

/** Claims of an item that may end with the death of a process; after the last one it is dead. */
export const mostClaims = 3;
/** What they need is away: the database, mostly. */
const awayMs = 1_000;
/** What has not ended so long after a drain began is given back. */
const drainMs = 20_000;

/** Runs claimed items through their handlers, in batches, and gives each its outcome. */
export class BatchRunner {
  private readonly log = new Logger('Work');
  private readonly underWay = new Map<WorkBatch, { kind: string; ended: Promise<void> }>();
  /** Claimed, and waiting for a batch of their kind to end. */
  private readonly queued = new Map<string, ClaimedItem[][]>();
  private readonly running = new Map<string, number>();
  private stopping = false;
  private alone = false;

  constructor(private readonly options: BatchRunnerOptions) {}

  get isRunningAlone(): boolean {
    return this.alone;
  }

  /** Items of the kind that this process has claimed. */
  held(kind: string): number {
    const queued = (this.queued.get(kind) ?? []).reduce((sum, batch) => sum + batch.length, 0);
    return [...this.underWay].reduce((sum, [batch, of]) => sum + (of.kind === kind ? batch.unsettled.length : 0), queued);
  }

  /** Every item that this process has claimed and knows of. */
  get heldIds(): string[] {
    const queued = [...this.queued.values()].flat(2);
    return [...queued, ...[...this.underWay.keys()].flatMap((batch) => batch.unsettled)].map(({ id }) => id);
  }

  /** Items of the kind that may be claimed now. */
  room({ name, batch, concurrency }: WorkKind): number {
    if (this.stopping || (this.queued.get(name)?.length ?? 0) > 0) return 0;
    return batch * Math.max(0, concurrency - (this.running.get(name) ?? 0));
  }

  run(kind: WorkKind, handler: WorkHandler<object>, items: readonly ClaimedItem[], release: () => void): void {
    const queue = this.queued.get(kind.name) ?? [];
    this.queued.set(kind.name, queue);
    queue.push(...inBatches(kind, items));
    const lanes = Math.min(queue.length, kind.concurrency - (this.running.get(kind.name) ?? 0));
    const ended = Array.from({ length: Math.max(0, lanes) }, () => this.takeTurns(kind, handler, queue));
    void Promise.all(ended).finally(release);
  }

  runAlone(kind: WorkKind, handler: WorkHandler<object>, item: ClaimedItem, release: () => void): void {
    this.alone = true;
    const ended = processGate.alone(async () => {
      if (item.claims > mostClaims) await this.bury(kind, handler, item);
      else await this.runOne(kind, handler, [item]);
    });
    void ended
      .catch((error: Error) => this.log.warn(`${kind.name} ${item.id}: ${error.message}`))
      .finally(() => {
        this.alone = false;
        release();
        this.options.onFree();
      });
  }

  async drain(): Promise<void> {
    this.stopping = true;
    const waiting = [...this.queued.values()].flatMap((queue) => queue.splice(0)).flat();
    await this.giveBack(waiting, 0);
    const ended = Promise.all([...this.underWay.values()].map((each) => each.ended));
    await Promise.race([ended, delay(drainMs, undefined, { ref: false })]);
    for (const batch of this.underWay.keys()) {
      batch.end();
      await this.giveBack(batch.unsettled, 0);
    }
  }

  private async takeTurns(kind: WorkKind, handler: WorkHandler<object>, queue: ClaimedItem[][]): Promise<void> {
    this.running.set(kind.name, (this.running.get(kind.name) ?? 0) + 1);
    try {
      for (let items = queue.shift(); items; items = queue.shift()) {
        const batch = items;
        await processGate.shared(() => this.runOne(kind, handler, batch));
      }
    } finally {
      this.running.set(kind.name, this.running.get(kind.name)! - 1);
      this.options.onFree();
    }
  }

  /** Never rejects. */
  private async runOne(kind: WorkKind, handler: WorkHandler<object>, items: ClaimedItem[]): Promise<void> {
    const batch = new WorkBatch(items, this.options.settling, () => this.stopping);
    const ended = this.attempt(kind, handler, batch).catch((error: Error) => {
      this.log.warn(`${kind.name}: ${error.message}`);
      return this.giveBack(batch.unsettled, awayMs);
    });
    this.underWay.set(batch, { kind: kind.name, ended });
    await ended;
    this.underWay.delete(batch);
  }

  private async attempt(kind: WorkKind, handler: WorkHandler<object>, batch: WorkBatch): Promise<void> {
    try {
      await this.handle(kind, handler, batch);
      await batch.complete();
      const { failures } = batch;
      this.options.metrics.settled.inc({ kind: kind.name, outcome: 'done' }, batch.items.length - failures.length);
      for (const [item, error] of failures) await this.fail(kind, handler, item, error);
    } catch (error) {
      batch.end();
      await this.settleFailed(kind, handler, batch.unsettled, error as Error);
    }
  }

  private async handle(kind: WorkKind, handler: WorkHandler<object>, batch: WorkBatch): Promise<void> {
    const { tracing } = this.options;
    const traces = batch.unsettled.flatMap((item) => readTraces(item.traces));
    const about = { kind: 'consumer', attributes: { 'posthorn.batch.size': batch.items.length } } as const;
    await runInScene(tracing.scene(traces), () => inSpan(`work ${kind.name}`, about, () => within(kind.timeoutMs, handler.run(batch))));
  }

  /** One that is at fault costs itself only: a batch is halved until it stands alone. */
  private async settleFailed(kind: WorkKind, handler: WorkHandler<object>, items: ClaimedItem[], error: Error): Promise<void> {
    // Whoever has them by now says what becomes of them.
    if (items.length === 0 || error instanceof LeaseLost) return;
    if (isDatabaseAway(error) || this.stopping) {
      await this.giveBack(items, awayMs);
    } else if (items.length > 1) {
      const middle = items.length >> 1;
      await this.runOne(kind, handler, items.slice(0, middle));
      await this.runOne(kind, handler, items.slice(middle));
    } else {
      await this.fail(kind, handler, items[0]!, error);
    }
  }

  private async fail(kind: WorkKind, handler: WorkHandler<object>, item: ClaimedItem, error: Error): Promise<void> {
    const delayMs = retryDelay(kind.retry, item.failures + 1);
    this.log.warn(`${kind.name} ${item.id}, failure ${item.failures + 1}: ${error.message}`);
    if (delayMs === null) return this.bury(kind, handler, item, error.message);
    await this.options.settling.fail(item, { error: error.message, delayMs });
    this.options.metrics.settled.inc({ kind: kind.name, outcome: 'failed' });
  }

  /** With what its handler makes visible of it, or not at all. */
  private async bury(
    kind: WorkKind,
    handler: WorkHandler<object>,
    item: ClaimedItem,
    error = `its process ended ${mostClaims} times while it worked on this`,
  ): Promise<void> {
    const { settling, metrics } = this.options;
    this.log.error(`${kind.name} ${item.id} is given up: ${error}`);
    await settling.transaction(async () => {
      if ((await settling.fail(item, { error, delayMs: null })) > 0) await handler.dead?.(item, error);
    });
    metrics.settled.inc({ kind: kind.name, outcome: 'dead' });
  }

  /** Tried until the database has taken it: until then nobody else may have them, and their lease goes on. */
  private async giveBack(items: readonly ClaimedItem[], delayMs: number): Promise<void> {
    for (;;) {
      try {
        await this.options.settling.release(items, delayMs);
        return this.options.onGivenBack();
      } catch (error) {
        this.log.warn(`not given back: ${(error as Error).message}`);
        if (this.stopping) return;
        await delay(awayMs, undefined, { ref: false });
      }
    }
  }
}

/** Of one project each, where the kind does not mix them. */
function inBatches({ batch, mixed }: WorkKind, items: readonly ClaimedItem[]): ClaimedItem[][] {
  const groups = mixed ? [items] : [...Map.groupBy(items, ({ projectId }) => projectId).values()];
  return groups.flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / batch) }, (_, index) => group.slice(index * batch, (index + 1) * batch)),
  );
}

async function within(milliseconds: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const late = delay(milliseconds, undefined, { signal: timer.signal, ref: false }).then(() => {
    throw new Error(`took longer than ${milliseconds} ms`);
  });
  late.catch(() => undefined);
  try {
    await Promise.race([work, late]);
  } finally {
    timer.abort();
    work.catch(() => undefined);
  }
}
