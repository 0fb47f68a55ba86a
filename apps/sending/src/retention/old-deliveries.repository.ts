import type { Database } from '@posthorn/database';

/** One look at the primary key for each project: there is no index over the ids of all projects. */
export const deleteOldSql = `
  WITH RECURSIVE project AS (
    (SELECT project_id AS id FROM deliveries ORDER BY project_id LIMIT 1)
    UNION ALL
    SELECT next.id FROM project, LATERAL (
      SELECT project_id AS id FROM deliveries WHERE project_id > project.id ORDER BY project_id LIMIT 1
    ) AS next
  ), old AS MATERIALIZED (
    SELECT found.* FROM project, LATERAL (
      SELECT project_id, email_id, position FROM deliveries
      WHERE project_id = project.id AND email_id < $1::uuid AND state IN ('SENT', 'BOUNCED', 'FAILED', 'CANCELLED')
      ORDER BY email_id, position LIMIT $2 FOR UPDATE SKIP LOCKED
    ) AS found LIMIT $2
  )
  DELETE FROM deliveries d USING old
  WHERE d.project_id = old.project_id AND d.email_id = old.email_id AND d.position = old.position RETURNING 1`;

export class OldDeliveriesRepository {
  constructor(private readonly database: Database) {}

  async deleteSome(firstKeptId: string, limit: number): Promise<number> {
    return (await this.database.query(deleteOldSql, [firstKeptId, limit])).length;
  }
}
