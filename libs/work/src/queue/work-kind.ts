import type { WorkItem } from './claimed-columns.js';
import type { WorkBatch } from '../runner/work-batch.js';

export interface Retry {
  attempts: number;
  firstMs: number;
  maxMs: number;
}

const defaultRetry: Retry = { attempts: 10, firstMs: 1_000, maxMs: 300_000 };

const jitter = 0.1;

export function retryDelay(
  { attempts, firstMs, maxMs: longestMs }: Retry,
  failures: number,
  random = Math.random,
): number | null {
  if (failures >= attempts) return null;
  const wait = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(wait * (1 + random() * jitter));
}

export interface WorkOptions {
  batch: number;
  concurrency: number;
  mixed: boolean;
  /** One claimed item per project at a time, across all processes. */
  exclusive: boolean;
  /** Passes over projects of which an item is claimed; two claims at one instant may still take one each. */
  spread: boolean;
  /** Of the concurrent batches of a process, so many are never of a project of which it is working on another. */
  reserved: number;
  /** Claiming one absorbs all ready ones of the project, so that writers need not wait for one another. */
  signal: boolean;
  /** From the end of a batch to the next claim in this process, so that many items share a batch. A batch
   * that was full, or that continues items, is followed at once. */
  intervalMs: number;
  /** A call that takes longer fails, and its later writes are refused. */
  timeoutMs: number;
  retry: Retry;
}

export interface WorkKind<Payload extends object = object> extends WorkOptions {
  readonly name: string;
  readonly payload?: Payload;
}

const defaults: WorkOptions = {
  batch: 1,
  concurrency: 1,
  mixed: false,
  exclusive: false,
  spread: false,
  reserved: 0,
  signal: false,
  intervalMs: 0,
  timeoutMs: 60_000,
  retry: defaultRetry,
};

export function work<Payload extends object = object>(
  name: string,
  options: Partial<WorkOptions> = {},
): WorkKind<Payload> {
  return { ...defaults, ...options, name };
}

export interface WorkHandler<Payload extends object> {
  /** Items without an outcome are completed. When it throws, the batch is split until one item is alone. */
  run(batch: WorkBatch<Payload>): Promise<void>;
  /** Runs in the transaction in which the item becomes a dead letter, to show the failure to users. */
  dead?(item: WorkItem<Payload>, error: string): Promise<void>;
}
