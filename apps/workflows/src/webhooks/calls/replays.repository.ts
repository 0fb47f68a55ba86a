import { testEventType, type ReplayRange } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

/** In one transaction. */
export const maxReplayed = 100_000;

const replayed = `status = 'PENDING', retries = 0, claims = 0, due_at = now(), ended_at = NULL, error = NULL, generation = w.generation
  FROM webhooks w WHERE w.project_id = $1 AND w.id = $2 AND c.project_id = $1 AND c.webhook_id = $2`;

/** Calls that are made again, under the ids of their events. */
export class ReplaysRepository {
  constructor(private readonly database: Database) {}

  async replay(projectId: string, webhookId: string, id: string): Promise<boolean> {
    const rows = await this.database.query(
      `UPDATE webhook_calls c SET ${replayed} AND c.id = $3 RETURNING c.id`,
      [projectId, webhookId, id],
    );
    return rows.length > 0;
  }

  /** Nothing where more than `maxReplayed` are in the range. */
  async replayRange(
    projectId: string,
    webhookId: string,
    { from, to, eventTypes }: ReplayRange,
  ): Promise<number | 'too many'> {
    const range = [projectId, webhookId, from, to, eventTypes ?? null];
    const inRange = `c.created_at BETWEEN $3 AND $4 AND c.event_type <> '${testEventType}' AND ($5::text[] IS NULL OR c.event_type = ANY ($5))`;
    const [counted] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (
         SELECT 1 FROM webhook_calls c WHERE c.project_id = $1 AND c.webhook_id = $2 AND ${inRange} LIMIT ${maxReplayed + 1}) AS capped`,
      range,
    );
    if (counted!.count > maxReplayed) return 'too many';
    const rows = await this.database.query(
      `UPDATE webhook_calls c SET ${replayed} AND ${inRange} RETURNING 1`,
      range,
    );
    return rows.length;
  }
}
