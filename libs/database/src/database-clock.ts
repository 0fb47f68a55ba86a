import { unavailable } from '@posthorn/contracts';
import type { Database } from './database.js';

const refreshMs = 30_000;

/**
 * Postgres time without a question each: only Postgres decides what time it is (docs/guarantees.md G22), so the offset to the
 * process's monotonic clock is kept and renewed.
 */
export class DatabaseClock {
  private offset: number | null = null;
  private readAt = 0;
  private reading: Promise<void> | null = null;

  constructor(private readonly database: Database) {}

  async now(): Promise<Date> {
    if (this.offset === null) await this.refresh();
    else if (performance.now() - this.readAt > refreshMs) this.refresh().catch(() => undefined);
    return new Date(performance.now() + this.offset!);
  }

  /** Past its deadline the caller has told its client that nothing happened: then nothing may be committed (docs/guarantees.md §4). */
  async refuseLate(deadline: Date | null): Promise<void> {
    if (deadline && (await this.now()) >= deadline)
      throw unavailable('The deadline of the request has passed');
  }

  private refresh(): Promise<void> {
    this.reading ??= this.read().finally(() => (this.reading = null));
    return this.reading;
  }

  private async read(): Promise<void> {
    const [row] = await this.database.query<{ ms: number }>(
      `SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms`,
    );
    // The answer is as old as its way back: taking the instant of arrival errs towards an earlier deadline.
    this.offset = Number(row!.ms) - performance.now();
    this.readAt = performance.now();
  }
}
