import type { Contact, PageQuery } from '@posthorn/contracts';
import { pageLimit, toPage, type Database, type Page } from '@posthorn/database';

export class SegmentMembersRepository {
  constructor(private readonly database: Database) {}

  /** Newest contacts first, by their ids. The members are limited before the join: a merge join would read the contacts of all earlier pages again. */
  async page(projectId: string, segmentId: string, query: PageQuery): Promise<Page<Contact>> {
    const rows = await this.database.query<Contact>(
      `SELECT c.id, c.project_id AS "projectId", c.email, c.subscribed, c.custom_fields AS "customFields", c.created_at AS "createdAt", c.updated_at AS "updatedAt"
       FROM (
         SELECT contact_id FROM segment_members WHERE project_id = $1 AND segment_id = $2 ${query.after ? 'AND contact_id < $3::uuid' : ''}
         ORDER BY contact_id DESC LIMIT ${pageLimit(query) + 1}
       ) AS m JOIN contacts c ON c.project_id = $1 AND c.id = m.contact_id
       ORDER BY m.contact_id DESC`,
      [projectId, segmentId, ...(query.after ? [query.after.id] : [])],
    );
    return toPage(rows, query);
  }

  contactsOf(projectId: string, emails: readonly string[]): Promise<{ id: string; email: string }[]> {
    return this.database.query(
      `SELECT id, email FROM contacts WHERE project_id = $1 AND email = ANY ($2::text[])`,
      [projectId, emails],
    );
  }

  /** Returns the new members. Locks the contacts against deletion, in the same order as deletions. */
  async add(projectId: string, segmentId: string, contactIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `WITH entered AS (
         INSERT INTO segment_members (project_id, segment_id, contact_id)
         SELECT $1, $2, c.id FROM contacts c WHERE c.project_id = $1 AND c.id = ANY ($3::uuid[]) ORDER BY c.email FOR KEY SHARE OF c
         ON CONFLICT DO NOTHING RETURNING contact_id
       ), counted AS (
         INSERT INTO segment_count_deltas (project_id, segment_id, total) SELECT $1, $2, count(*) FROM entered HAVING count(*) > 0
       )
       SELECT contact_id AS id FROM entered`,
      [projectId, segmentId, contactIds],
    );
    return rows.map(({ id }) => id);
  }

  async remove(projectId: string, segmentId: string, contactIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `WITH removed AS (
         DELETE FROM segment_members WHERE project_id = $1 AND segment_id = $2 AND contact_id = ANY ($3::uuid[]) RETURNING contact_id
       ), counted AS (
         INSERT INTO segment_count_deltas (project_id, segment_id, total) SELECT $1, $2, -count(*) FROM removed HAVING count(*) > 0
       )
       SELECT contact_id AS id FROM removed`,
      [projectId, segmentId, contactIds],
    );
    return rows.map(({ id }) => id);
  }

  async removeOf(projectId: string, contactIds: readonly string[]): Promise<void> {
    await this.database.query(
      `WITH removed AS (
         DELETE FROM segment_members WHERE project_id = $1 AND contact_id = ANY ($2::uuid[]) RETURNING segment_id
       ), not_due AS (
         DELETE FROM segment_due WHERE project_id = $1 AND contact_id = ANY ($2::uuid[])
       )
       INSERT INTO segment_count_deltas (project_id, segment_id, total)
       SELECT $1, segment_id, -count(*) FROM removed GROUP BY segment_id ORDER BY segment_id`,
      [projectId, contactIds],
    );
  }
}
