import {
  testEventType,
  webhookCallNotFound,
  type ListWebhookCalls,
  type ReplayRange,
  type WebhookAttempt,
  type WebhookCall,
} from '@posthorn/contracts';
import {
  cappedTotal,
  keysetCondition,
  pageLimit,
  toPage,
  totalCap,
  type Database,
  type Page,
  type Total,
} from '@posthorn/database';
import type { CallAttempt } from './call-attempts.js';
import { attemptsOfCall } from './calls.repository.js';

interface CallRow extends Omit<WebhookCall, 'payload' | 'attempts'> {
  body: string;
  attempts: (Omit<WebhookAttempt, 'at'> & { at: string })[];
}

const selectCalls = `
  SELECT c.id, c.event_type AS "eventType", c.attempts AS attempt, c.status, c.response_status AS "responseStatus", c.response_body AS "responseBody",
    c.error, c.duration_ms AS "durationMs", c.due_at AS "nextAttemptAt", c.created_at AS "createdAt", r.body, ${attemptsOfCall} AS attempts
  FROM calls c JOIN call_requests r ON r.project_id = c.project_id AND r.id = c.request_id
  WHERE c.project_id = $1 AND c.endpoint_id = $2 AND c.event_type IS NOT NULL`;

const replayed = `status = 'PENDING', retries = 0, claims = 0, due_at = now(), ended_at = NULL, error = NULL, generation = w.generation, history = ${attemptsOfCall}
  FROM webhooks w WHERE w.project_id = $1 AND w.id = $2 AND c.project_id = $1 AND c.endpoint_id = $2 AND c.event_type IS NOT NULL`;

/** In one transaction. */
export const maxReplayed = 100_000;

/** The calls of a subscription, as its owners see and repeat them. */
export class WebhookCallsRepository {
  constructor(private readonly database: Database) {}

  async page(projectId: string, request: ListWebhookCalls): Promise<Page<WebhookCall>> {
    const keyset = keysetCondition(request.after, 4, 'c');
    const rows = await this.database.query<CallRow>(
      `${selectCalls} ${keyset.sql} ORDER BY c.created_at DESC, c.id DESC LIMIT $3`,
      [projectId, request.id, pageLimit(request) + 1, ...keyset.parameters],
    );
    return toPage(rows.map(callOf), request);
  }

  async total(projectId: string, webhookId: string): Promise<Total> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (
         SELECT 1 FROM calls WHERE project_id = $1 AND endpoint_id = $2 AND event_type IS NOT NULL LIMIT ${totalCap + 1}) AS capped`,
      [projectId, webhookId],
    );
    return cappedTotal(row!.count);
  }

  async one(projectId: string, webhookId: string, id: string): Promise<WebhookCall> {
    const [row] = await this.database.query<CallRow>(`${selectCalls} AND c.id = $3`, [
      projectId,
      webhookId,
      id,
    ]);
    if (!row) throw webhookCallNotFound();
    return callOf(row);
  }

  /** Made again, under the id of its event. */
  async replay(projectId: string, webhookId: string, id: string): Promise<boolean> {
    const rows = await this.database.query(`UPDATE calls c SET ${replayed} AND c.id = $3 RETURNING c.id`, [
      projectId,
      webhookId,
      id,
    ]);
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
         SELECT 1 FROM calls c WHERE c.project_id = $1 AND c.endpoint_id = $2 AND ${inRange} LIMIT ${maxReplayed + 1}) AS capped`,
      range,
    );
    if (counted!.count > maxReplayed) return 'too many';
    const rows = await this.database.query(
      `UPDATE calls c SET ${replayed} AND ${inRange} RETURNING 1`,
      range,
    );
    return rows.length;
  }

  /** A test: one attempt, and nothing follows from it. */
  async addTest(
    projectId: string,
    webhookId: string,
    { call, verdict, responseStatus, responseBody, error, durationMs }: CallAttempt,
    body: string,
  ): Promise<void> {
    const status = verdict.kind === 'success' ? 'SUCCESS' : 'FAILED';
    await this.database.query(
      `WITH requested AS (INSERT INTO call_requests (project_id, id, body) VALUES ($1, $4, $5) RETURNING id)
       INSERT INTO calls (project_id, id, request_id, endpoint_id, event_type, generation, status, attempts, response_status, response_body, error, duration_ms, ended_at)
       SELECT w.project_id, $3, r.id, w.id, '${testEventType}', w.generation, $6, 1, $7, $8, $9, $10, now()
       FROM webhooks w, requested r WHERE w.project_id = $1 AND w.id = $2`,
      [
        ...[projectId, webhookId, call.id, call.requestId, body, status],
        ...[responseStatus, responseBody, error, durationMs],
      ],
    );
  }
}

/** A link that confirms an address is for the endpoint, and not for everybody who may read the calls. */
const shownPayload = (payload: Record<string, unknown>): Record<string, unknown> =>
  payload['type'] === 'list.pending'
    ? { ...payload, data: { ...(payload['data'] as object), confirmUrl: null } }
    : payload;

function callOf({ body, attempts, ...row }: CallRow): WebhookCall {
  return {
    ...row,
    payload: shownPayload(JSON.parse(body) as Record<string, unknown>),
    attempts: attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at) })),
  };
}
