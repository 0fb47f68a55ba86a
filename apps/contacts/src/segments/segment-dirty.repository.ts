import type { Database } from '@posthorn/database';

/** Contacts whose segments are to be looked at again: written in the commit of whatever changed them. */
export class SegmentDirtyRepository {
  constructor(private readonly database: Database) {}

  async mark(rows: { projectId: string; contactId: string }[]): Promise<void> {
    if (rows.length === 0) return;
    await this.database.query(`INSERT INTO segment_dirty (project_id, contact_id) SELECT * FROM unnest($1::uuid[], $2::uuid[])`, [
      rows.map(({ projectId }) => projectId),
      rows.map(({ contactId }) => contactId),
    ]);
  }
}
