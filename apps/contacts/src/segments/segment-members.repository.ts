import type { Contact, PageQuery } from '@posthorn/contracts';
import { pageLimit, toPage, type Database, type Page } from '@posthorn/database';

export class SegmentMembersRepository {
  constructor(private readonly database: Database) {}

  /**
   * The newest contacts first: their ids rise with the instant of their making. The members of the page are found before they are joined: a
   * merge with all contacts would read again, on each page, whoever was on the pages before.
   */
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

  /** Those of the addresses that are contacts. */
  contactsOf(projectId: string, emails: readonly string[]): Promise<{ id: string; email: string }[]> {
    return this.database.query(
      `SELECT id, email FROM contacts WHERE project_id = $1 AND email = ANY ($2::text[])`,
      [projectId, emails],
    );
  }

  /** Answers those that were no members. Who deletes a contact waits, in the same order, and sees what is written here. */
  async add(projectId: string, segmentId: string, contactIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `WITH came AS (
         INSERT INTO segment_members (project_id, segment_id, contact_id)
         SELECT $1, $2, c.id FROM contacts c WHERE c.project_id = $1 AND c.id = ANY ($3::uuid[]) ORDER BY c.email FOR KEY SHARE OF c
         ON CONFLICT DO NOTHING RETURNING contact_id
       ), counted AS (
         INSERT INTO segment_count_deltas (project_id, segment_id, total) SELECT $1, $2, count(*) FROM came HAVING count(*) > 0
       )
       SELECT contact_id AS id FROM came`,
      [projectId, segmentId, contactIds],
    );
    return rows.map(({ id }) => id);
  }

  /** Answers those that were members. */
  async remove(projectId: string, segmentId: string, contactIds: readonly string[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `WITH gone AS (
         DELETE FROM segment_members WHERE project_id = $1 AND segment_id = $2 AND contact_id = ANY ($3::uuid[]) RETURNING contact_id
       ), counted AS (
         INSERT INTO segment_count_deltas (project_id, segment_id, total) SELECT $1, $2, -count(*) FROM gone HAVING count(*) > 0
       )
       SELECT contact_id AS id FROM gone`,
      [projectId, segmentId, contactIds],
    );
    return rows.map(({ id }) => id);
  }

  /** Of contacts that are gone: they leave every segment, and no time is due for them. */
  async removeOf(projectId: string, contactIds: readonly string[]): Promise<void> {
    await this.database.query(
      `WITH gone AS (
         DELETE FROM segment_members WHERE project_id = $1 AND contact_id = ANY ($2::uuid[]) RETURNING segment_id
       ), not_due AS (
         DELETE FROM segment_due WHERE project_id = $1 AND contact_id = ANY ($2::uuid[])
       )
       INSERT INTO segment_count_deltas (project_id, segment_id, total)
       SELECT $1, segment_id, -count(*) FROM gone GROUP BY segment_id ORDER BY segment_id`,
      [projectId, contactIds],
    );
  }
}
