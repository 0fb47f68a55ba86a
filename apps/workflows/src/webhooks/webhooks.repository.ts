import { webhookNotFound, type ListWebhooks } from '@posthorn/contracts';
import { CountedRepository, type Database, type Page } from '@posthorn/database';
import { WebhookRow } from './webhook.entity.js';

export class WebhooksRepository extends CountedRepository<WebhookRow> {
  constructor(database: Database) {
    super(database, WebhookRow, webhookNotFound);
  }

  list(projectId: string, request: ListWebhooks): Promise<Page<WebhookRow>> {
    return this.page(projectId, request);
  }

  async lockAll(projectId: string, ids: readonly string[]): Promise<void> {
    await this.database.query(
      `SELECT 1 FROM webhooks WHERE project_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR UPDATE`,
      [projectId, ids],
    );
  }

  /** Null where it was not active any more. */
  async disable(projectId: string, id: string, reason: string): Promise<{ url: string; at: Date } | null> {
    const [disabled] = await this.database.query<{ url: string; at: Date }>(
      `UPDATE webhooks SET status = 'DISABLED', disabled_reason = $3, generation = generation + 1, seq = seq + 1, updated_at = clock_timestamp()
       WHERE project_id = $1 AND id = $2 AND status = 'ACTIVE' RETURNING url, updated_at AS at`,
      [projectId, id, reason],
    );
    return disabled ?? null;
  }
}
