import type { Database } from '@posthorn/database';

export interface ContactCount {
  total: number;
  subscribed: number;
}

/** Exact at every moment: what is folded and what is not are read in one statement. */
export class ContactCounts {
  constructor(private readonly database: Database) {}

  async of(projectId: string): Promise<ContactCount> {
    const [count] = await this.database.query<ContactCount>(
      `SELECT coalesce(sum(total), 0)::bigint AS total, coalesce(sum(subscribed), 0)::bigint AS subscribed FROM (
         SELECT total, subscribed FROM contact_counts WHERE project_id = $1
         UNION ALL SELECT total, subscribed FROM contact_count_deltas WHERE project_id = $1
       ) AS parts`,
      [projectId],
    );
    return count!;
  }

  /** Folds the oldest deltas in; several replicas take different ones. Answers how many. */
  async fold(limit: number): Promise<number> {
    const [folded] = await this.database.query<{ deltas: number }>(
      `WITH taken AS (
         DELETE FROM contact_count_deltas
         WHERE id = ANY(ARRAY(SELECT id FROM contact_count_deltas ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
         RETURNING project_id, total, subscribed
       ), folded AS (
         INSERT INTO contact_counts (project_id, total, subscribed)
         SELECT project_id, sum(total), sum(subscribed) FROM taken GROUP BY project_id ORDER BY project_id
         ON CONFLICT (project_id) DO UPDATE
           SET total = contact_counts.total + excluded.total, subscribed = contact_counts.subscribed + excluded.subscribed
       )
       SELECT count(*) AS deltas FROM taken`,
      [limit],
    );
    return folded!.deltas;
  }
}
