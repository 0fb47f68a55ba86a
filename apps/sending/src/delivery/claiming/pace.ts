import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Statement } from '@posthorn/database';

export interface PaceLimit {
  provider: string;
  perSecond: number;
}

/** Milliseconds on the monotonic clock of this process; null where there is no limit. */
export type Slot = number | null;

// With slots at exactly the limit, network jitter would exceed it within some windows of a second.
const margin = 0.93;
/** A later wake-up would send together with the slots that follow. */
const missedMs = 30;

/** The rate limit of the provider across all replicas: Postgres hands out evenly spaced slots (docs/guarantees.md G13). */
export class Pace {
  constructor(private readonly limit: PaceLimit) {}

  /** Reserves `count` slots; `slotsOf` reads its row. Empty where there is no limit. */
  take(count: number): Statement[] {
    if (this.limit.perSecond === 0) return [];
    const sql = `INSERT INTO pace AS p (provider, next_at) VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond')
       ON CONFLICT (provider) DO UPDATE SET next_at = greatest(p.next_at, clock_timestamp()) + $2 * interval '1 millisecond'
       RETURNING extract(epoch FROM next_at - clock_timestamp())::float8 * 1000 - $2 AS wait`;
    return [{ name: 'pace', sql, parameters: [this.limit.provider, count * this.spacingMs] }];
  }

  /** Relative to the arrival of the answer: after a slow commit the slots of the batch move instead of being missed. */
  slotsOf(rows: unknown[] | undefined, count: number): Slot[] {
    const waitMs = (rows as { wait: number }[] | undefined)?.[0]?.wait;
    const arrivedAt = performance.now();
    return Array.from({ length: count }, (_, index) =>
      waitMs === undefined ? null : arrivedAt + Math.max(0, waitMs) + index * this.spacingMs,
    );
  }

  private get spacingMs(): number {
    return 1_000 / (this.limit.perSecond * margin);
  }
}

export async function reached(slot: number): Promise<boolean> {
  // A timer may fire up to a millisecond early.
  for (let left = slot - performance.now(); left > 0; left = slot - performance.now())
    await delay(Math.ceil(left));
  return performance.now() - slot <= missedMs;
}
