import { setTimeout as delay } from 'node:timers/promises';
import type { Database, DatabaseClock, Statement } from '@posthorn/database';
import { Gatherer } from '@posthorn/messaging';

export interface PaceLimit {
  provider: string;
  /** 0 for no limit. */
  perSecond: number;
}

/** An instant of Postgres's clock, in milliseconds since 1970; null where nothing limits. */
export type Slot = number | null;

// Slots a little closer than the limit allows would let 1 s windows overflow by the jitter of the way to the server.
const margin = 0.93;
// A slot that is missed by more would fall together with those of others: a new one is taken.
const missedMs = 30;

/** The provider's pace over all replicas: evenly spaced slots, given out by Postgres and kept by its clock (guarantees.md G13). */
export class Pace {
  private readonly anew: Gatherer<null, number>;

  constructor(
    private readonly database: Database,
    private readonly clock: DatabaseClock,
    private readonly limit: PaceLimit,
  ) {
    this.anew = new Gatherer({ flush: (missed) => this.takeAnew(missed.length), maxItems: 1_000 });
  }

  /** The statement that reserves `count` slots; its row is read by `slotsOf`. None where nothing limits. */
  take(count: number): Statement[] {
    if (this.limit.perSecond === 0) return [];
    const sql = `INSERT INTO pace AS p (provider, next_at) VALUES ($1, clock_timestamp() + $2 * interval '1 millisecond')
       ON CONFLICT (provider) DO UPDATE SET next_at = greatest(p.next_at, clock_timestamp()) + $2 * interval '1 millisecond'
       RETURNING extract(epoch FROM next_at)::float8 * 1000 - $2 AS first`;
    return [{ name: 'pace', sql, parameters: [this.limit.provider, count * this.spacingMs] }];
  }

  slotsOf(rows: unknown[] | undefined, count: number): Slot[] {
    const first = (rows as { first: number }[] | undefined)?.[0]?.first;
    return Array.from({ length: count }, (_, place) => (first === undefined ? null : first + place * this.spacingMs));
  }

  /** Waits for the slot, and for another one when this process stood still in the meantime. */
  async until(slot: number): Promise<void> {
    for (let due = slot; ;) {
      const left = due - (await this.clock.now()).getTime();
      if (left > 0) await delay(left);
      const lateMs = (await this.clock.now()).getTime() - due;
      if (lateMs <= missedMs) return;
      due = await this.anew.submit(null);
    }
  }

  private get spacingMs(): number {
    return 1_000 / (this.limit.perSecond * margin);
  }

  private async takeAnew(count: number): Promise<number[]> {
    const [statement] = this.take(count);
    return this.slotsOf(await this.database.prepared(statement!), count) as number[];
  }
}
