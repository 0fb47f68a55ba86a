import type { Database } from '@posthorn/database';

/** Exact at every moment: what is folded and what is not are read in one statement. */
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
      [real.map(({ projectId }) => projectId), real.map(({ segmentId }) => segmentId), real.map(({ total }) => total)],
    );
  }

  /** Folds the oldest deltas in; several replicas take different ones. Those of a segment that is gone end here. Answers how many. */
  async fold(limit: number): Promise<number> {
    const [folded] = await this.database.query<{ deltas: number }>(
      `WITH taken AS (
         DELETE FROM segment_count_deltas
         WHERE id = ANY(ARRAY(SELECT id FROM segment_count_deltas ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
         RETURNING project_id, segment_id, total
       ), folded AS (
         INSERT INTO segment_counts (project_id, segment_id, total)
         SELECT t.project_id, t.segment_id, sum(t.total) FROM taken t JOIN segments s ON s.project_id = t.project_id AND s.id = t.segment_id
         GROUP BY t.project_id, t.segment_id ORDER BY t.project_id, t.segment_id
         ON CONFLICT (project_id, segment_id) DO UPDATE SET total = segment_counts.total + excluded.total
       )
       SELECT count(*) AS deltas FROM taken`,
      [limit],
    );
    return folded!.deltas;
  }
}
