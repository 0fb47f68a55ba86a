import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

export interface PaceLimit {
  providerKind: string;
  perSecond: number;
}

/** Milliseconds on the monotonic clock of this process; null where there is no limit. */
export type Slot = number | null;

// With slots at exactly the limit, network jitter would exceed it within some windows of a second.
const margin = 0.93;
/** A message whose timer fires later than this would be sent together with those of the following slots. */
const missedMs = 30;

/** The rate limit of a kind of provider across all replicas: Postgres hands out evenly spaced slots (docs/guarantees.md G13). */
export class Pace {
  constructor(private readonly limit: PaceLimit) {}

  get providerKind(): string {
    return this.limit.providerKind;
  }

  /** Reserves as many slots as the query `count` says; its two parameters are numbered from `first`. */
  reservation(count: string, first: number): { sql: string; parameters: unknown[] } | null {
    if (this.limit.perSecond === 0) return null;
    const [providerKind, reservedMs] = [`$${first}::text`, `(${count}) * $${first + 1}::float8`];
    const sql = `INSERT INTO pace AS p (provider, next_at)
      SELECT ${providerKind}, clock_timestamp() + ${reservedMs} * interval '1 millisecond' WHERE (${count}) > 0
      ON CONFLICT (provider) DO UPDATE SET next_at = greatest(p.next_at, clock_timestamp()) + ${reservedMs} * interval '1 millisecond'
      RETURNING extract(epoch FROM next_at - clock_timestamp())::float8 * 1000 - ${reservedMs} AS first_slot_ms`;
    return { sql, parameters: [this.limit.providerKind, this.spacingMs] };
  }

  /** Relative to the arrival of the answer: after a slow commit the slots of the batch move instead of being missed. */
  slots(waitMs: number | null, count: number): Slot[] {
    const arrivedAt = performance.now();
    return Array.from({ length: count }, (_, index) =>
      waitMs === null ? null : arrivedAt + Math.max(0, waitMs) + index * this.spacingMs,
    );
  }

  private get spacingMs(): number {
    return 1_000 / (this.limit.perSecond * margin);
  }
}

export async function waitForSlot(slot: number): Promise<boolean> {
  // A timer may fire up to a millisecond early.
  for (let left = slot - performance.now(); left > 0; left = slot - performance.now())
    await delay(Math.ceil(left));
  return performance.now() - slot <= missedMs;
}
