import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Statement } from '@posthorn/database';

export interface PaceLimit {
  provider: string;
  /** 0 for no limit. */
  perSecond: number;
}

/** An instant of this process's monotonic clock, in milliseconds; null where nothing limits. */
export type Slot = number | null;

// Slots as close as the limit allows would let 1 s windows overflow by the jitter of the way to the server.
const margin = 0.93;
/** Who wakes later than this would leave together with those whose slots come after. */
const missedMs = 30;

/** The provider's pace over all replicas: evenly spaced slots, given out by Postgres (docs/guarantees.md G13). */
export class Pace {
  constructor(private readonly limit: PaceLimit) {}

  /** The statement that reserves `count` slots; its row is read by `slotsOf`. None where nothing limits. */
  take(count: number): Statement[] {
    if (this.limit.perSecond === 0) return [];
    const sql = `INSERT INTO pace AS p (provider, next_at) VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond')
       ON CONFLICT (provider) DO UPDATE SET next_at = greatest(p.next_at, clock_timestamp()) + $2 * interval '1 millisecond'
       RETURNING extract(epoch FROM next_at - clock_timestamp())::float8 * 1000 - $2 AS wait`;
    return [{ name: 'pace', sql, parameters: [this.limit.provider, count * this.spacingMs] }];
  }

  /** Counted from the arrival of the answer: a slow commit moves the slots of its batch, and misses none. */
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

/** Waits for the slot; false when this process stood still and it has gone by. */
export async function reached(slot: number): Promise<boolean> {
  // A timer counts from when its loop last looked at the clock, in whole milliseconds: it may be early.
  for (let left = slot - performance.now(); left > 0; left = slot - performance.now())
    await delay(Math.ceil(left));
  return performance.now() - slot <= missedMs;
}
