import { systemProjectId } from '@posthorn/contracts';
import { lowestIdOf, type Database } from '@posthorn/database';

const watchedMs = 4 * 24 * 3_600_000;

/** What the system project's mails say: links that open an account. */
export class SystemContentsRepository {
  constructor(private readonly database: Database) {}

  /** Keeps that a mail was sent and to whom, and no longer what it said. No delivery lasts longer than is looked back. */
  async forgetDelivered(): Promise<void> {
    await this.database.query(
      `UPDATE email_contents content SET html = '', text = NULL
       FROM emails email JOIN deliveries delivery USING (project_id)
       WHERE content.project_id = $1 AND content.id > $2 AND content.html <> ''
         AND email.project_id = $1 AND email.id > $2 AND email.content_id = content.id
         AND delivery.project_id = $1 AND delivery.email_id = email.id AND delivery.state IN ('SENT', 'BOUNCED', 'FAILED', 'CANCELLED')`,
      [systemProjectId, lowestIdOf(Date.now() - watchedMs)],
    );
  }
}
