import type { Database } from '@posthorn/database';

export interface ContactMark {
  projectId: string;
  contactId: string;
}

/**
 * Part of a statement that changes what a segment can ask: `rows` names a part with the columns project_id and id of contacts. Of projects without
 * a segment that follows from a condition nothing is kept.
 */
export const marksDirty = (rows: string): string =>
  `INSERT INTO segment_dirty (project_id, contact_id) SELECT changed.project_id, changed.id FROM ${rows} AS changed JOIN segment_watches USING (project_id)`;

/** Contacts whose segments are to be looked at again. Called in the commit of the change, after its writes. */
export class SegmentDirtyRepository {
  constructor(private readonly database: Database) {}

  async mark(rows: readonly ContactMark[]): Promise<void> {
    if (rows.length === 0) return;
    await this.database.query(
      `WITH marked AS (SELECT * FROM unnest($1::uuid[], $2::uuid[]) AS m (project_id, id)) ${marksDirty('marked')}`,
      [rows.map(({ projectId }) => projectId), rows.map(({ contactId }) => contactId)],
    );
  }

  /**
   * Before the first such segment of a project takes its baseline: whoever is writing now has perhaps not marked, and is waited for; whoever
   * writes later marks. A commit of its own, because the lock keeps every writer waiting.
   */
  async watch(projectId: string): Promise<void> {
    const [known] = await this.database.query(`SELECT 1 FROM segment_watches WHERE project_id = $1`, [projectId]);
    if (known) return;
    await this.database.transaction(async () => {
      await this.database.query(`SET LOCAL lock_timeout = '2s'`);
      await this.database.query(`LOCK TABLE segment_dirty IN SHARE MODE`);
      await this.database.query(`INSERT INTO segment_watches (project_id) VALUES ($1) ON CONFLICT DO NOTHING`, [projectId]);
    });
  }
}
