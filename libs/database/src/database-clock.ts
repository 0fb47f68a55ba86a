import { unavailable } from '@posthorn/contracts';
import type { Database } from './database.js';

const refreshMs = 30_000;

/** Only the time of Postgres is valid (docs/guarantees.md G22); this is an offset to the monotonic clock of the process. */
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

  async msUntil(deadline: Date | null): Promise<number | null> {
    return deadline && deadline.getTime() - (await this.now()).getTime();
  }

  /** The client has heard that nothing happened, so nothing may be committed (docs/guarantees.md G2). */
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
    this.offset = Number(row!.ms) - performance.now();
    this.readAt = performance.now();
  }
}
