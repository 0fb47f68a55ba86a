import type { Database } from '@posthorn/database';

/** A lost event may leave no gap, so even a complete read model is compared daily. */
const rebuildAfterHours = 24;

export class ReadModels {
  constructor(private readonly database: Database) {}

  async needsRebuild(name: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM read_models WHERE name = $1 AND stale_at IS NULL AND rebuilt_at > now() - make_interval(hours => $2)`,
      [name, rebuildAfterHours],
    );
    return rows.length === 0;
  }

  async markStale(name: string): Promise<void> {
    await this.database.query(
      `INSERT INTO read_models (name, stale_at) VALUES ($1, now()) ON CONFLICT (name) DO UPDATE SET stale_at = excluded.stale_at`,
      [name],
    );
  }

  /** A read model that becomes stale during the rebuild stays stale, because pages may be older. */
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
