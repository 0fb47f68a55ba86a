import type { Database } from '@posthorn/database';

export class OptOutsRepository {
  constructor(private readonly database: Database) {}

  /** A link that was sent before the opt-out still confirms its list, but no longer subscribes the contact. */
  async keepUnsubscribed(projectId: string, contactIds: string[]): Promise<void> {
    await this.database.query(
      `WITH held AS MATERIALIZED (
         SELECT list_id, contact_id FROM memberships
         WHERE project_id = $1 AND contact_id = ANY ($2::uuid[]) AND subscribes_contact ORDER BY list_id, contact_id FOR NO KEY UPDATE
       )
       UPDATE memberships AS waiting SET subscribes_contact = false FROM held
       WHERE waiting.project_id = $1 AND waiting.list_id = held.list_id AND waiting.contact_id = held.contact_id`,
      [projectId, contactIds],
    );
  }
}
