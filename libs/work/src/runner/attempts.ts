import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { isDatabaseAway } from '@posthorn/database';
import { inSpan, readTraces, runInContext, type Tracing } from '@posthorn/telemetry';
import { type WorkHandler, type WorkKind, retryDelay } from '../queue/work-kind.js';
import type { SettlingRepository } from '../queue/settling.repository.js';
import type { ClaimedItem } from '../queue/claimed-columns.js';
import { LeaseLost, type WorkBatch } from './work-batch.js';
import type { WorkMetrics } from './work.metrics.js';

export interface AttemptsOptions {
  settling: SettlingRepository;
  metrics: WorkMetrics;
  tracing: Tracing;
  isStopping: () => boolean;
  onReleased: () => void;
}

export const awayMs = 1_000;

export class Attempts {
  private readonly log = new Logger('Work');

  constructor(private readonly options: AttemptsOptions) {}

  async run(
    kind: WorkKind,
    handler: WorkHandler<object>,
    batch: WorkBatch,
    again: (items: ClaimedItem[]) => Promise<unknown>,
  ): Promise<void> {
    try {
      await this.handle(kind, handler, batch);
      await batch.complete();
    } catch (error) {
      batch.end();
      return this.settleFailed(kind, handler, batch.unsettled, error as Error, again);
    }
    const { failures } = batch;
    this.options.metrics.settled.inc(
      { kind: kind.name, outcome: 'done' },
      batch.items.length - failures.length,
    );
    for (const [item, error] of failures) await this.fail(kind, handler, item, error);
  }

  async giveUp(
    kind: WorkKind,
    handler: WorkHandler<object>,
    item: ClaimedItem,
    error: string,
  ): Promise<void> {
    const { settling, metrics } = this.options;
    const isDead = await settling.transaction(async () => {
      const dead = (await settling.fail(item, { error, delayMs: null })) === 'DEAD';
      if (dead) await handler.dead?.(item, error);
      return dead;
    });
    if (!isDead) return;
    this.log.error(`${kind.name} ${item.id} is given up: ${error}`);
    metrics.settled.inc({ kind: kind.name, outcome: 'dead' });
  }

  /** Retried until the database answers; until then the lease is renewed. */
  async release(items: readonly ClaimedItem[], delayMs: number): Promise<void> {
    if (items.length === 0) return;
    for (;;) {
      try {
        await this.options.settling.release(items, delayMs);
        return this.options.onReleased();
      } catch (error) {
        this.log.warn(`not released: ${(error as Error).message}`);
        if (this.options.isStopping()) return;
        await delay(awayMs, undefined, { ref: false });
      }
    }
  }

  private async handle(kind: WorkKind, handler: WorkHandler<object>, batch: WorkBatch): Promise<void> {
    const { tracing } = this.options;
    const traces = batch.unsettled.flatMap((item) => readTraces(item.traces));
    const about = { kind: 'consumer', attributes: { 'posthorn.batch.size': batch.items.length } } as const;
    await runInContext(tracing.context(traces), () =>
      inSpan(`work ${kind.name}`, about, () => within(kind.timeoutMs, handler.run(batch))),
    );
  }

  private async settleFailed(
    kind: WorkKind,
    handler: WorkHandler<object>,
    items: ClaimedItem[],
    error: Error,
    again: (items: ClaimedItem[]) => Promise<unknown>,
  ): Promise<void> {
    if (items.length === 0) return;
    if (isDatabaseAway(error) || this.options.isStopping()) return this.release(items, awayMs);
    if (items.length === 1) return this.fail(kind, handler, items[0]!, error);
    // The failed call may still be running; its writes under the old tokens are refused from here on.
    const ours = await this.options.settling.reclaim(items);
    const someAreLost = error instanceof LeaseLost && ours.length < items.length;
    const half = someAreLost ? ours.length : ours.length >> 1;
    for (const part of [ours.slice(0, half), ours.slice(half)]) if (part.length > 0) await again(part);
  }

  private async fail(
    kind: WorkKind,
    handler: WorkHandler<object>,
    item: ClaimedItem,
    error: Error,
  ): Promise<void> {
    const delayMs = retryDelay(kind.retry, item.failures + 1);
    try {
      if (delayMs === null) return await this.giveUp(kind, handler, item, error.message);
      if (!(await this.options.settling.fail(item, { error: error.message, delayMs }))) return;
      this.log.warn(`${kind.name} ${item.id}, failure ${item.failures + 1}: ${error.message}`);
      this.options.metrics.settled.inc({ kind: kind.name, outcome: 'failed' });
    } catch (notSettled) {
      this.log.warn(
        `${kind.name} ${item.id}, failed by ${error.message}, not settled: ${(notSettled as Error).message}`,
      );
      await this.release([item], awayMs);
    }
  }
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
