import { isNativeError } from 'node:util/types';
import { currentContext, joinContexts, runInContext, type WorkContext } from '@posthorn/telemetry';
import { isDataError } from '@posthorn/database';
import { runAsCaller } from './acting.js';

export interface GathererOptions<In, Out> {
  /** In the order of the items; an Error rejects only its own item, a flush that throws all. */
  flush: (items: In[]) => Promise<(Out | Error)[]>;
  maxItems: number;
  inFlight?: number;
  /** How long a batch waits for more items; only for work whose result nobody waits for. */
  lingerMs?: number | (() => number);
  /** So many items end the wait before its time. */
  enough?: number;
  /** How long a batch of several items keeps its place after its end, so that those whom it answers can join the next one. A single caller never waits. */
  restMs?: number;
  maxBytes?: number;
  sizeOf?: (item: In) => number;
}

interface Waiting<In, Out> {
  item: In;
  bytes: number;
  context: WorkContext | undefined;
  resolve: (out: Out) => void;
  reject: (error: unknown) => void;
}

/** Without `lingerMs` an item is flushed at once while fewer than `inFlight` batches run, and the next batch
 * gathers the rest. A timer of 1 ms would cost most of the speed of a single caller (docs/performance.md). */
export class Gatherer<In, Out> {
  private waiting: Waiting<In, Out>[] = [];
  private running = 0;
  private lingering: NodeJS.Timeout | null = null;
  private idle: (() => void)[] = [];

  constructor(private readonly options: GathererOptions<In, Out>) {}

  get size(): number {
    return this.waiting.length;
  }

  submit(item: In): Promise<Out> {
    return new Promise((resolve, reject) => {
      this.waiting.push({
        item,
        bytes: this.options.sizeOf?.(item) ?? 0,
        context: currentContext(),
        resolve,
        reject,
      });
      this.linger();
    });
  }

  async drained(): Promise<void> {
    if (this.waiting.length + this.running > 0) await new Promise<void>((resolve) => this.idle.push(resolve));
  }

  private linger(): void {
    const { lingerMs } = this.options;
    const wait = typeof lingerMs === 'function' ? lingerMs() : lingerMs;
    if (!wait) return this.pump();
    if (this.waiting.length >= (this.options.enough ?? Infinity)) return this.endLinger();
    this.lingering ??= setTimeout(() => this.endLinger(), wait);
  }

  private endLinger(): void {
    if (this.lingering) clearTimeout(this.lingering);
    this.lingering = null;
    this.pump();
  }

  private pump(): void {
    while (this.waiting.length > 0 && this.running < (this.options.inFlight ?? 2)) {
      this.running += 1;
      const batch = this.take();
      // The batch runs for all of its items, not in the context of the item that started it.
      const context = joinContexts(batch.map((each) => each.context));
      void runInContext(context, () => runAsCaller(undefined, () => this.flush(batch)));
    }
    if (this.waiting.length + this.running === 0) for (const resolve of this.idle.splice(0)) resolve();
  }

  private end(): void {
    this.running -= 1;
    this.pump();
  }

  private take(): Waiting<In, Out>[] {
    const { maxItems, maxBytes = Infinity } = this.options;
    let bytes = 0;
    const end = this.waiting.findIndex(
      (entry, index) => index >= maxItems || ((bytes += entry.bytes) > maxBytes && index > 0),
    );
    return this.waiting.splice(0, end === -1 ? this.waiting.length : end);
  }

  private async flush(batch: Waiting<In, Out>[]): Promise<void> {
    try {
      const results = await this.options.flush(batch.map(({ item }) => item));
      batch.forEach(({ resolve, reject }, index) => {
        const result = results[index];
        if (isNativeError(result)) reject(result);
        else resolve(result as Out);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      const { restMs } = this.options;
      if (restMs && batch.length > 1) setTimeout(() => this.end(), restMs);
      else this.end();
    }
  }
}

/** Where Postgres refuses the content of a write, each half is written by itself, until one item is alone.
 * `failed` answers for it, and for all items of a write that failed for another reason. */
export async function bisect<In, Out>(
  items: readonly In[],
  write: (items: In[]) => Promise<Out[]>,
  failed: (items: In[], error: Error) => Promise<Out[]> | Out[],
): Promise<Out[]> {
  try {
    return await write([...items]);
  } catch (error) {
    if (items.length === 1 || !isDataError(error)) return failed([...items], error as Error);
    const half = items.length >> 1;
    const first = await bisect(items.slice(0, half), write, failed);
    return [...first, ...(await bisect(items.slice(half), write, failed))];
  }
}
