import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { Tracing } from '@posthorn/telemetry';
import { BatchAttempts, awayMs } from './batch-attempts.js';
import type { SettlingRepository } from '../queue/settling.repository.js';
import { processGate } from './solo-gate.js';
import type { ClaimedItem } from '../queue/claimed-columns.js';
import { WorkBatch } from './work-batch.js';
import type { WorkHandler, WorkKind } from '../queue/work-kind.js';
import type { WorkMetrics } from './work.metrics.js';

export interface BatchRunnerOptions {
  settling: SettlingRepository;
  metrics: WorkMetrics;
  tracing: Tracing;
  onFree: () => void;
  onReleased: () => void;
}

/** Claims of an item that may end with its process before the item is dead. */
const maxClaims = 3;
const drainMs = 20_000;

export class BatchRunner {
  private readonly log = new Logger('Work');
  private readonly attempts: BatchAttempts;
  private readonly underWay = new Map<WorkBatch, { kind: string; ended: Promise<void> }>();
  private readonly queued = new Map<string, ClaimedItem[][]>();
  private readonly running = new Map<string, number>();
  private readonly restUntil = new Map<string, number>();
  private readonly suspects: ClaimedItem[] = [];
  private stopping = false;
  private alone = false;

  constructor(private readonly options: BatchRunnerOptions) {
    this.attempts = new BatchAttempts({ ...options, isStopping: () => this.stopping });
  }

  get isRunningAlone(): boolean {
    return this.alone;
  }

  held(kind: string): number {
    const queued = (this.queued.get(kind) ?? []).reduce((sum, batch) => sum + batch.length, 0);
    return [...this.underWay].reduce(
      (sum, [batch, of]) => sum + (of.kind === kind ? batch.unsettled.length : 0),
      queued,
    );
  }

  get heldIds(): string[] {
    const waiting = [...[...this.queued.values()].flat(2), ...this.suspects];
    return [...waiting, ...[...this.underWay.keys()].flatMap((batch) => batch.unsettled)].map(({ id }) => id);
  }

  /** How many items may be claimed, and of which projects none. */
  room({ name, batch, concurrency, reserved }: WorkKind): { limit: number; without: string[] } {
    const isFull = this.stopping || (this.queued.get(name)?.length ?? 0) > 0 || this.restMs(name) > 0;
    const free = isFull ? 0 : Math.max(0, concurrency - (this.running.get(name) ?? 0));
    if (free > reserved) return { limit: batch * (free - reserved), without: [] };
    return { limit: batch * free, without: free > 0 ? this.projectsUnderWay(name) : [] };
  }

  private projectsUnderWay(kind: string): string[] {
    const batches = [...this.underWay].flatMap(([batch, of]) => (of.kind === kind ? [batch.projectId] : []));
    return [...new Set(batches)];
  }

  restMs(kind: string): number {
    return Math.max(0, (this.restUntil.get(kind) ?? 0) - performance.now());
  }

  run(
    kind: WorkKind,
    handler: WorkHandler<object>,
    items: readonly ClaimedItem[],
    release: () => void,
  ): void {
    const queue = this.queued.get(kind.name) ?? [];
    this.queued.set(kind.name, queue);
    queue.push(...inBatches(kind, items));
    const lanes = Math.min(queue.length, kind.concurrency - (this.running.get(kind.name) ?? 0));
    const ended = Array.from({ length: Math.max(0, lanes) }, () => this.takeTurns(kind, handler, queue));
    void Promise.all(ended).finally(release);
  }

  runAlone(kind: WorkKind, handler: WorkHandler<object>, item: ClaimedItem, release: () => void): void {
    this.alone = true;
    this.suspects.push(item);
    const ended = processGate.alone(async () => {
      const items = this.suspects.splice(0);
      return items.length === 0 || (await this.runOne(kind, handler, items, item.claims > maxClaims));
    });
    const rested = ended.then(async (isSettled) => {
      release();
      // Released items could be claimed again at once, also by this process.
      if (!isSettled && !this.stopping) await delay(awayMs, undefined, { ref: false });
    });
    void rested.finally(() => {
      this.alone = false;
      this.options.onFree();
    });
  }

  async drain(): Promise<void> {
    this.stopping = true;
    const queued = [...this.queued.values()].flatMap((queue) => queue.splice(0)).flat();
    await this.attempts.release([...queued, ...this.suspects.splice(0)], 0);
    const ended = Promise.all([...this.underWay.values()].map((each) => each.ended));
    await Promise.race([ended, delay(drainMs, undefined, { ref: false })]);
    for (const batch of this.underWay.keys()) {
      batch.end();
      await this.attempts.release(batch.unsettled, 0);
    }
  }

  private async takeTurns(
    kind: WorkKind,
    handler: WorkHandler<object>,
    queue: ClaimedItem[][],
  ): Promise<void> {
    this.running.set(kind.name, (this.running.get(kind.name) ?? 0) + 1);
    try {
      while (queue.length > 0) {
        await processGate.shared(async () => {
          const items = queue.shift();
          if (items) await this.runOne(kind, handler, items);
        });
      }
    } finally {
      this.running.set(kind.name, this.running.get(kind.name)! - 1);
      this.options.onFree();
    }
  }

  /** Never rejects; returns whether every item has an outcome. */
  private async runOne(
    kind: WorkKind,
    handler: WorkHandler<object>,
    items: ClaimedItem[],
    isLost = false,
  ): Promise<boolean> {
    const batch = new WorkBatch(items, this.options.settling, () => this.stopping);
    const attempt = isLost
      ? this.attempts.giveUp(
          kind,
          handler,
          items[0]!,
          `its process ended ${maxClaims} times while it worked on this`,
        )
      : this.attempts.run(kind, handler, batch, (some) => this.runOne(kind, handler, some));
    const ended = attempt.catch((error: Error) => {
      this.log.warn(`${kind.name}: ${error.message}`);
      return this.attempts.release(batch.unsettled, awayMs);
    });
    this.underWay.set(batch, { kind: kind.name, ended });
    await ended;
    this.underWay.delete(batch);
    const isBehind = items.length === kind.batch || batch.isContinued;
    if (kind.intervalMs > 0 && !isBehind) this.restUntil.set(kind.name, performance.now() + kind.intervalMs);
    return batch.unsettled.length === 0;
  }
}

function inBatches({ batch, mixed }: WorkKind, items: readonly ClaimedItem[]): ClaimedItem[][] {
  const groups = mixed ? [items] : [...Map.groupBy(items, ({ projectId }) => projectId).values()];
  // Few are soon done, and need not wait for many.
  groups.sort((a, b) => a.length - b.length);
  return groups.flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / batch) }, (_, index) =>
      group.slice(index * batch, (index + 1) * batch),
    ),
  );
}
