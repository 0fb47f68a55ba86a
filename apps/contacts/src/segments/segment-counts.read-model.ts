import type { Database } from '@posthorn/database';

export class SegmentCounts {
  constructor(private readonly database: Database) {}

  async of(projectId: string, ids: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.database.query<{ id: string; total: number }>(
      `SELECT segment_id AS id, sum(total)::bigint AS total FROM (
         SELECT segment_id, total FROM segment_counts WHERE project_id = $1 AND segment_id = ANY ($2::uuid[])
         UNION ALL SELECT segment_id, total FROM segment_count_deltas WHERE project_id = $1 AND segment_id = ANY ($2::uuid[])
       ) AS parts GROUP BY segment_id`,
      [projectId, ids],
    );
    return new Map(rows.map(({ id, total }) => [id, total]));
  }

  async add(changes: readonly { projectId: string; segmentId: string; total: number }[]): Promise<void> {
    const real = changes.filter(({ total }) => total !== 0);
    if (real.length === 0) return;
    await this.database.query(
      `INSERT INTO segment_count_deltas (project_id, segment_id, total) SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::integer[])`,
      [
        real.map(({ projectId }) => projectId),
        real.map(({ segmentId }) => segmentId),
        real.map(({ total }) => total),
      ],
    );
  }
}
