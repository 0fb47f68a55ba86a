import type { WorkBatch, WorkItem } from '../runner/work-batch.js';
import { defaultRetry, type Retry } from './retry.js';

export interface WorkOptions {
  /** Items that one call of the handler gets at most. */
  batch: number;
  /** Calls of the handler at the same time in one process. */
  concurrency: number;
  /** A batch may be of several projects; otherwise each call gets items of one project. */
  mixed: boolean;
  /** One claimed item per project at a time, over all processes. */
  exclusive: boolean;
  /**
   * Items say only that a project has something to do: whoever claims one takes all others of the project that are ready with it. They may be
   * enqueued by many writers at once, none of whom waits for another.
   */
  signal: boolean;
  /** Milliseconds that a call of the handler may take; past it its items count as failed, and what it still writes is refused. */
  timeoutMs: number;
  retry: Retry;
}

/** One kind of work of a service, declared once beside its handler. The name is `<service>.<noun>`. */
export interface WorkKind<Payload extends object = object> extends WorkOptions {
  readonly name: string;
  /** Only for the compiler: what an item carries. */
  readonly payload?: Payload;
}

const defaults: WorkOptions = {
  batch: 1,
  concurrency: 1,
  mixed: false,
  exclusive: false,
  signal: false,
  timeoutMs: 60_000,
  retry: defaultRetry,
};

export function work<Payload extends object = object>(
  name: string,
  options: Partial<WorkOptions> = {},
): WorkKind<Payload> {
  return { ...defaults, ...options, name };
}

/** What does one kind of work. Registered at the `WorkRunner` in the constructor. */
export interface WorkHandler<Payload extends object> {
  /**
   * Does the items of one batch. What it neither completes nor puts off by itself is completed after it returns. When it throws, a batch of
   * several items is split until the one at fault stands alone; that one is retried later.
   */
  run(batch: WorkBatch<Payload>): Promise<void>;
  /** In the transaction in which the item becomes a dead letter: makes the failure visible where users look. */
  dead?(item: WorkItem<Payload>, error: string): Promise<void>;
}
