import type { Database } from '@posthorn/database';

/** Which segment refers to which. Written under the lock of the project, so that concurrent calls cannot create a cycle. */
export class SegmentEdgesRepository {
  constructor(private readonly database: Database) {}

  async put(projectId: string, segmentId: string, names: readonly string[]): Promise<void> {
    await this.database.query(
      `DELETE FROM segment_edges WHERE project_id = $1 AND segment_id = $2 AND names_id <> ALL ($3::uuid[])`,
      [projectId, segmentId, names],
    );
    await this.database.query(
      `INSERT INTO segment_edges (project_id, segment_id, names_id) SELECT DISTINCT $1::uuid, $2::uuid, n FROM unnest($3::uuid[]) AS n ON CONFLICT DO NOTHING`,
      [projectId, segmentId, names],
    );
  }

  async leadingTo(projectId: string, segmentId: string, from: readonly string[]): Promise<Set<string>> {
    const rows = await this.database.query<{ id: string }>(
      `WITH RECURSIVE above (id) AS (
         SELECT $2::uuid
         UNION SELECT e.segment_id FROM segment_edges e JOIN above ON e.project_id = $1 AND e.names_id = above.id
       )
       SELECT id FROM above WHERE id = ANY ($3::uuid[])`,
      [projectId, segmentId, from],
    );
    return new Set(rows.map(({ id }) => id));
  }

  async usersOf(projectId: string, segmentId: string): Promise<string[]> {
    const rows = await this.database.query<{ name: string }>(
      `SELECT s.name FROM segment_edges e JOIN segments s ON s.project_id = e.project_id AND s.id = e.segment_id
       WHERE e.project_id = $1 AND e.names_id = $2 ORDER BY s.name LIMIT 5`,
      [projectId, segmentId],
    );
    return rows.map(({ name }) => name);
  }
}
