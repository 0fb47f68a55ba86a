import { systemProjectId } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

const atOnce = 500;

/** Contents of system mails contain links that open an account. */
export class SystemContentsRepository {
  constructor(private readonly database: Database) {}

  /** Keeps the e-mail row; each system mail has one recipient, so its content has the same id. */
  async deleteDelivered(): Promise<void> {
    await this.database.query(
      `UPDATE email_contents SET html = '', text = NULL WHERE project_id = $1 AND id = ANY (ARRAY(
         SELECT content.id FROM email_contents content
         WHERE content.project_id = '${systemProjectId}' AND (content.html <> '' OR content.text IS NOT NULL)
           AND EXISTS (SELECT FROM deliveries delivery WHERE delivery.project_id = $1 AND delivery.email_id = content.id)
           AND NOT EXISTS (SELECT FROM deliveries delivery WHERE delivery.project_id = $1 AND delivery.email_id = content.id
                           AND delivery.state NOT IN ('SENT', 'BOUNCED', 'FAILED', 'CANCELLED'))
         ORDER BY content.id LIMIT ${atOnce} FOR UPDATE SKIP LOCKED))`,
      [systemProjectId],
    );
  }

  async areSome(): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM email_contents WHERE project_id = '${systemProjectId}' AND (html <> '' OR text IS NOT NULL) LIMIT 1`,
    );
    return rows.length > 0;
  }
}
