import type { Database } from '@posthorn/database';

export interface DirtyContact {
  projectId: string;
  contactId: string;
}

/** Part of a statement that changes what a segment can ask: `rows` names a part with the columns project_id and id of contacts. */
export const marksDirty = (rows: string): string => `INSERT INTO segment_dirty (project_id, contact_id) SELECT project_id, id FROM ${rows}`;

/** Contacts whose segments are to be looked at again, told in the commit of the change. @public Its first users come with lists. */
export class SegmentDirtyRepository {
  constructor(private readonly database: Database) {}

  async mark(rows: DirtyContact[]): Promise<void> {
    await this.database.query(
      `WITH changed AS (SELECT * FROM unnest($1::uuid[], $2::uuid[]) AS c (project_id, id)) ${marksDirty('changed')}`,
      [rows.map(({ projectId }) => projectId), rows.map(({ contactId }) => contactId)],
    );
  }
}
