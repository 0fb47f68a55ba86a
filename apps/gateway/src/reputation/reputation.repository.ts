import { Injectable } from '@nestjs/common';
import { Database } from '@posthorn/database';
import { windowDays, type Counts } from './reputation-rules.js';

export type ReputationMeasure = keyof Counts;

@Injectable()
export class ReputationRepository {
  constructor(private readonly database: Database) {}

  /** Hours are locked in their order, so that concurrent events do not deadlock. An instant ahead of the clock counts now. */
  async add(projectId: string, measure: ReputationMeasure, instants: readonly Date[]): Promise<void> {
    await this.database.query(
      `INSERT INTO reputation_hours (project_id, hour, ${measure})
       SELECT $1, date_trunc('hour', least(at, now()), 'UTC') AS hour, count(*) FROM unnest($2::timestamptz[]) AS occurred (at)
       GROUP BY hour ORDER BY hour
       ON CONFLICT (project_id, hour) DO UPDATE SET ${measure} = reputation_hours.${measure} + excluded.${measure}`,
      [projectId, instants],
    );
  }

  /** Of the window, and since the operator last enabled the project. */
  async countsOf(projectId: string): Promise<Counts> {
    const [row] = await this.database.query<Counts>(
      `SELECT coalesce(sum(sent), 0)::float8 AS sent, coalesce(sum(bounced), 0)::float8 AS bounced, coalesce(sum(complained), 0)::float8 AS complained
       FROM reputation_hours WHERE project_id = $1 AND hour > greatest(
         now() - interval '${windowDays} days', (SELECT enabled_at FROM projects WHERE id = $1))`,
      [projectId],
    );
    return row!;
  }

  async isBlemished(projectId: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM reputation_hours WHERE project_id = $1 AND bounced + complained > 0 LIMIT 1`,
      [projectId],
    );
    return rows.length > 0;
  }

  async mayWarn(projectId: string): Promise<boolean> {
    const rows = await this.database.query(
      `INSERT INTO reputation_warnings (project_id, warned_at) VALUES ($1, now())
       ON CONFLICT (project_id) DO UPDATE SET warned_at = now()
         WHERE reputation_warnings.warned_at < now() - interval '${windowDays} days' RETURNING 1`,
      [projectId],
    );
    return rows.length > 0;
  }

  /** Of all projects; returns whether there may be more. */
  async deleteOld(limit: number): Promise<boolean> {
    const rows = await this.database.query(
      `DELETE FROM reputation_hours WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM reputation_hours WHERE hour < now() - interval '${windowDays + 1} days' LIMIT $1)) RETURNING 1`,
      [limit],
    );
    return rows.length === limit;
  }
}
