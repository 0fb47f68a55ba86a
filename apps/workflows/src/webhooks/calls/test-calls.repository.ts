import { testEventType } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import type { Attempt } from '../dispatch/attempt.js';
import type { DueWebhookCall } from './webhook-calls.repository.js';

export class TestCallsRepository {
  constructor(private readonly database: Database) {}

  /** One attempt, and nothing follows from it. */
  async add(
    projectId: string,
    webhookId: string,
    { call, outcome, responseStatus, responseBody, error, durationMs }: Attempt<DueWebhookCall>,
  ): Promise<void> {
    const status = outcome.kind === 'success' ? 'SUCCESS' : 'FAILED';
    await this.database.query(
      `WITH added AS (
         INSERT INTO webhook_calls (project_id, webhook_id, id, event_id, event_type, body, generation, status, attempts,
           response_status, response_body, error, duration_ms, ended_at)
         SELECT project_id, id, $3, $4, '${testEventType}', $5, generation, $6, 1, $7, $8, $9, $10, now() FROM webhooks WHERE project_id = $1 AND id = $2
         RETURNING project_id, webhook_id, id, response_status, error, duration_ms
       )
       INSERT INTO webhook_attempts (project_id, webhook_id, call_id, attempt, response_status, error, duration_ms)
       SELECT project_id, webhook_id, id, 1, response_status, error, duration_ms FROM added`,
      [
        ...[projectId, webhookId, call.id, call.eventId, call.body, status],
        ...[responseStatus, responseBody, error, durationMs],
      ],
    );
  }
}
