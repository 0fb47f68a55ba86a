import { type WebhookEventType, testEventType, type ReplayRange } from '@posthorn/contracts';
import { columnsOf, type Database } from '@posthorn/database';
import type { OpenEndpoint } from '../dispatch/endpoint-dispatcher.js';
import { standingColumns, type EndpointId } from '../dispatch/endpoints.repository.js';
import { type CallAttempt, type DueCall, attemptColumns, recordedColumns } from '../webhook-attempts.js';

/** What happened, for every subscription of the project that asks for it. */
export interface EventToCall {
  /** The same however often it arrives; it becomes `webhook-id`. */
  id: string;
  type: WebhookEventType;
  /** About whom it is; null for a deleted contact, of whom it says nothing. */
  contactId: string | null;
  at: Date;
  data: object;
}

export interface ActiveWebhook extends OpenEndpoint {
  url: string;
  generation: number;
}

export interface DueWebhookCall extends DueCall {
  eventId: string;
  /** The bytes that are signed and sent. */
  body: string;
}

const eventColumns = columnsOf<EventToCall>([
  { column: 'event_id', type: 'uuid', value: ({ id }) => id },
  { column: 'event_type', type: 'text', value: ({ type }) => type },
  { column: 'contact_id', type: 'uuid', value: ({ contactId }) => contactId },
  { column: 'at', type: 'timestamptz', value: ({ at }) => at },
  { column: 'body', type: 'text', value: bodyOf },
]);

export class WebhookCallsRepository {
  constructor(private readonly database: Database) {}

  /**
   * One call for each event and subscription that asks for it; an event that arrives again changes nothing. Those of a paused or disabled one have failed already, for a replay. Returns
   * the subscriptions with something to send, and when they may be called.
   */
  add(projectId: string, events: readonly EventToCall[]): Promise<{ id: string; dueAt: Date }[]> {
    return this.database.query(
      `WITH added AS (
         INSERT INTO webhook_calls (project_id, webhook_id, id, event_id, event_type, contact_id, body, generation, created_at, status, due_at, error, ended_at)
         SELECT w.project_id, w.id, uuidv7(), e.event_id, e.event_type, e.contact_id, e.body, w.generation, e.at,
           CASE WHEN w.status = 'ACTIVE' THEN 'PENDING' ELSE 'FAILED' END, CASE WHEN w.status = 'ACTIVE' THEN now() END,
           CASE WHEN w.status <> 'ACTIVE' THEN 'The webhook was ' || lower(w.status) END, CASE WHEN w.status <> 'ACTIVE' THEN now() END
         FROM ${eventColumns.unnest('e', 2)} JOIN webhooks w ON w.project_id = $1 AND e.event_type = ANY (w.event_types)
         WHERE NOT EXISTS (SELECT FROM erased_contacts x WHERE x.project_id = $1 AND x.contact_id = e.contact_id)
         ON CONFLICT (project_id, webhook_id, event_id) DO NOTHING RETURNING webhook_id, status
       )
       SELECT a.id, greatest(now(), e.rests_until) AS "dueAt"
       FROM (SELECT DISTINCT webhook_id AS id FROM added WHERE status = 'PENDING') AS a
       LEFT JOIN endpoints e ON e.project_id = $1 AND e.id = a.id`,
      [projectId, ...eventColumns.values(events)],
    );
  }

  async open({ projectId, id }: EndpointId): Promise<ActiveWebhook | null> {
    const [webhook] = await this.database.query<ActiveWebhook>(
      `SELECT w.project_id AS "projectId", w.id, w.url, w.generation, ${standingColumns}
       FROM webhooks w LEFT JOIN endpoints e ON e.project_id = w.project_id AND e.id = w.id
       WHERE w.project_id = $1 AND w.id = $2 AND w.status = 'ACTIVE'
         AND NOT EXISTS (SELECT FROM webhook_calls c WHERE c.project_id = $1 AND c.webhook_id = $2 AND c.generation < w.generation AND c.status = 'PENDING')`,
      [projectId, id],
    );
    return webhook ?? null;
  }

  due({ projectId, id, generation }: ActiveWebhook, limit: number): Promise<DueWebhookCall[]> {
    return this.database.query(
      `SELECT id, event_id AS "eventId", attempts, retries, claims, body FROM webhook_calls
       WHERE project_id = $1 AND webhook_id = $2 AND generation = $3 AND status = 'PENDING' AND due_at <= now() ORDER BY due_at, id LIMIT $4`,
      [projectId, id, generation, limit],
    );
  }

  async nextDueMs({ projectId, id, generation }: ActiveWebhook): Promise<number | null> {
    const [next] = await this.database.query<{ ms: number }>(
      `SELECT (greatest(0, extract(epoch FROM due_at - now())) * 1000)::float8 AS ms FROM webhook_calls
       WHERE project_id = $1 AND webhook_id = $2 AND generation = $3 AND status = 'PENDING' ORDER BY due_at, id LIMIT 1`,
      [projectId, id, generation],
    );
    return next?.ms ?? null;
  }

  async record({ projectId, id }: EndpointId, attempts: readonly CallAttempt[]): Promise<void> {
    await this.database.query(
      `WITH made AS (
         UPDATE webhook_calls c SET ${recordedColumns}
         FROM ${attemptColumns.unnest('a', 3)}
         WHERE c.project_id = $1 AND c.webhook_id = $2 AND c.id = a.id AND c.status = 'PENDING' AND c.attempts = a.attempts
         RETURNING c.id, c.attempts, a.response_status, a.error, a.duration_ms
       )
       INSERT INTO webhook_attempts (project_id, webhook_id, call_id, attempt, response_status, error, duration_ms)
       SELECT $1, $2, id, attempts, response_status, error, duration_ms FROM made`,
      [projectId, id, ...attemptColumns.values(attempts)],
    );
  }

  async addClaims({ projectId, id }: EndpointId, calls: readonly DueCall[], by: number): Promise<void> {
    if (calls.length === 0) return;
    await this.database.query(
      `UPDATE webhook_calls SET claims = greatest(0, claims + $4) WHERE project_id = $1 AND webhook_id = $2 AND id = ANY ($3::uuid[]) AND status = 'PENDING'`,
      [projectId, id, calls.map((call) => call.id), by],
    );
  }

  /** Of a subscription that stopped, what was waiting has failed; of one that is gone, everything goes. Returns how many of at most `limit`. */
  async tidyUp({ projectId, id }: EndpointId, limit: number): Promise<number> {
    const ended = await this.database.query(
      `UPDATE webhook_calls c SET status = 'FAILED', due_at = NULL, ended_at = now(), error = 'The webhook was stopped'
       WHERE project_id = $1 AND webhook_id = $2 AND id = ANY (ARRAY(
         SELECT waiting.id FROM webhook_calls waiting JOIN webhooks w ON w.project_id = $1 AND w.id = $2 AND waiting.generation < w.generation
         WHERE waiting.project_id = $1 AND waiting.webhook_id = $2 AND waiting.status = 'PENDING' LIMIT $3)) RETURNING 1`,
      [projectId, id, limit],
    );
    return ended.length + (await this.removeOfDeleted({ projectId, id }, limit));
  }

  /** An attempt that is recorded meanwhile is seen by the second statement only. */
  private removeOfDeleted({ projectId, id }: EndpointId, limit: number): Promise<number> {
    return this.database.transaction(async () => {
      const gone = await this.database.query<{ id: string }>(
        `DELETE FROM webhook_calls WHERE project_id = $1 AND webhook_id = $2 AND id = ANY (ARRAY(
           SELECT id FROM webhook_calls WHERE project_id = $1 AND webhook_id = $2
             AND NOT EXISTS (SELECT FROM webhooks w WHERE w.project_id = $1 AND w.id = $2) LIMIT $3)) RETURNING id`,
        [projectId, id, limit],
      );
      await this.database.query(
        `DELETE FROM webhook_attempts WHERE project_id = $1 AND webhook_id = $2 AND call_id = ANY ($3::uuid[])`,
        [projectId, id, gone.map((call) => call.id)],
      );
      return gone.length;
    });
  }
}

export function bodyOf({ id, type, at, data }: { id: string; type: string; at: Date; data: object }): string {
  return JSON.stringify({ id, type, createdAt: at.toISOString(), data });
}

/** In one transaction. */
export const maxReplayed = 100_000;

const replayed = `status = 'PENDING', retries = 0, claims = 0, due_at = now(), ended_at = NULL, error = NULL, generation = w.generation
  FROM webhooks w WHERE w.project_id = $1 AND w.id = $2 AND c.project_id = $1 AND c.webhook_id = $2`;

/** Calls that are made again, under the ids of their events. */
export class ReplaysRepository {
  constructor(private readonly database: Database) {}

  async replay(projectId: string, webhookId: string, id: string): Promise<boolean> {
    const rows = await this.database.query(
      `UPDATE webhook_calls c SET ${replayed} AND c.id = $3 RETURNING c.id`,
      [projectId, webhookId, id],
    );
    return rows.length > 0;
  }

  /** Nothing where more than `maxReplayed` are in the range. */
  async replayRange(
    projectId: string,
    webhookId: string,
    { from, to, eventTypes }: ReplayRange,
  ): Promise<number | 'too many'> {
    const range = [projectId, webhookId, from, to, eventTypes ?? null];
    const inRange = `c.created_at BETWEEN $3 AND $4 AND c.event_type <> '${testEventType}' AND ($5::text[] IS NULL OR c.event_type = ANY ($5))`;
    const [counted] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (
         SELECT 1 FROM webhook_calls c WHERE c.project_id = $1 AND c.webhook_id = $2 AND ${inRange} LIMIT ${maxReplayed + 1}) AS capped`,
      range,
    );
    if (counted!.count > maxReplayed) return 'too many';
    const rows = await this.database.query(
      `UPDATE webhook_calls c SET ${replayed} AND ${inRange} RETURNING 1`,
      range,
    );
    return rows.length;
  }
}

export class TestCallsRepository {
  constructor(private readonly database: Database) {}

  /** One attempt, and nothing follows from it. */
  async add(
    projectId: string,
    webhookId: string,
    { call, verdict, responseStatus, responseBody, error, durationMs }: CallAttempt<DueWebhookCall>,
  ): Promise<void> {
    const status = verdict.kind === 'success' ? 'SUCCESS' : 'FAILED';
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
