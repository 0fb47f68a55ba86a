import type { Database } from '@posthorn/database';

/** Even a read model that seems whole is compared with its owner so often: an event that never came leaves no gap behind it. */
const rebuildAfterHours = 24;

/** Which copies of another service's data this service keeps, and whether they are whole. */
export class ReadModels {
  constructor(private readonly database: Database) {}

  /** A read model that was never rebuilt, is stale, or has not been compared for a day. */
  async needsRebuild(name: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM read_models WHERE name = $1 AND stale_at IS NULL AND rebuilt_at > now() - make_interval(hours => $2)`,
      [name, rebuildAfterHours],
    );
    return rows.length === 0;
  }

  /** Joins the transaction of whoever noticed that events are missing. */
  async markStale(name: string): Promise<void> {
    await this.database.query(
      `INSERT INTO read_models (name, stale_at) VALUES ($1, now()) ON CONFLICT (name) DO UPDATE SET stale_at = excluded.stale_at`,
      [name],
    );
  }

  /** Runs a rebuild from the first page to the last. What became stale while it ran stays so: its pages may be older. */
  async rebuild(name: string, work: () => Promise<void>): Promise<void> {
    const [before] = await this.database.query<{ at: Date }>(
      `SELECT clock_timestamp()::timestamptz(3) AS at`,
    );
    await work();
    await this.database.query(
      `INSERT INTO read_models AS known (name, rebuilt_at) VALUES ($1, now()) ON CONFLICT (name) DO UPDATE
         SET rebuilt_at = excluded.rebuilt_at, stale_at = CASE WHEN known.stale_at > $2 THEN known.stale_at END`,
      [name, before!.at],
    );
  }
}
