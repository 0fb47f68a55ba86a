import type { Database } from '@posthorn/database';
import { storedMessageColumns, type StoredMessage } from '../composing/stored-message.js';

export class SentContentsRepository {
  constructor(private readonly database: Database) {}

  async find(projectId: string, id: string): Promise<StoredMessage | null> {
    const [row] = await this.database.query<StoredMessage>(
      `SELECT e.project_id AS "projectId", e.id AS "emailId", d.variables, ${storedMessageColumns}
       FROM emails e
       JOIN email_contents content ON content.project_id = e.project_id AND content.id = e.content_id
       LEFT JOIN deliveries d ON d.project_id = e.project_id AND d.email_id = e.id AND d.position = 0
       WHERE e.project_id = $1 AND e.id = $2 AND e.status <> 'VOIDED'`,
      [projectId, id],
    );
    return row ?? null;
  }

  async exists(projectId: string, id: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM emails WHERE project_id = $1 AND id = $2 AND status <> 'VOIDED'`,
      [projectId, id],
    );
    return rows.length > 0;
  }
}
