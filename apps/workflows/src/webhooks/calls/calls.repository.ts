import type { CallStatus, WebhookEventType } from '@posthorn/contracts';
import { columnsOf, type Database } from '@posthorn/database';
import type { OutboundMethod } from '@posthorn/outbound';
import { isBroken, nextDueAt, restMs } from '../dispatch/endpoints.repository.js';
import { attemptColumns, type CallAttempt, type DueCall } from './call-attempts.js';

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

export interface StepCall {
  /** Made of execution, step and visit; also its `webhook-id`. */
  id: string;
  executionId: string;
  contactId: string | null;
  method: OutboundMethod;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
}

export interface PlacedStepCall extends StepCall {
  endpointId: string;
  error: string | null;
}

export interface CallResult {
  status: CallStatus;
  responseStatus: number | null;
  responseBody: string | null;
  error: string | null;
}

/** What is sent; but for the body, only of a step. */
export interface CallRequest {
  id: string;
  executionId: string | null;
  workflowId: string | null;
  method: OutboundMethod | null;
  url: string | null;
  headers: Readonly<Record<string, string>> | null;
  /** The bytes that are signed and sent. */
  body: Buffer | null;
}

export interface OpenEndpoint {
  id: string;
  /** Of the subscription; false also where it still has to end what waited before it stopped. */
  isActive: boolean;
  /** Of the subscription. */
  url: string | null;
  restMs: number;
  /** Null where no call waits. */
  nextMs: number | null;
  /** Those that are due. */
  calls: DueCall[];
}

/** When the endpoint of new calls may be called. */
export interface Wake {
  id: string;
  dueAt: Date;
}

const shownAttempts = 20;

/** Of the call `c`: what the row says of a single attempt, or its history. */
export const attemptsOfCall = `coalesce(c.history, CASE WHEN c.attempts = 1 THEN jsonb_build_array(jsonb_build_object('attempt', 1, 'at', c.ended_at,
  'responseStatus', c.response_status, 'error', c.error, 'durationMs', c.duration_ms)) ELSE '[]' END)`;

const lastAttempts = `CASE WHEN jsonb_array_length(c.history) >= ${shownAttempts} THEN c.history - 0 ELSE coalesce(c.history, '[]') END`;
const thisAttempt = `jsonb_build_object('attempt', c.attempts + 1, 'at', now()::timestamptz(3), 'responseStatus', a.response_status, 'error', a.error, 'durationMs', a.duration_ms)`;

const eventColumns = columnsOf<EventToCall>([
  { column: 'id', type: 'uuid', value: ({ id }) => id },
  { column: 'event_type', type: 'text', value: ({ type }) => type },
  { column: 'contact_id', type: 'uuid', value: ({ contactId }) => contactId },
  { column: 'at', type: 'timestamptz', value: ({ at }) => at },
  { column: 'body', type: 'text', value: bodyOf },
]);

const stepColumns = columnsOf<PlacedStepCall>([
  { column: 'id', type: 'uuid', value: ({ id }) => id },
  { column: 'endpoint_id', type: 'uuid', value: ({ endpointId }) => endpointId },
  { column: 'execution_id', type: 'uuid', value: ({ executionId }) => executionId },
  { column: 'contact_id', type: 'uuid', value: ({ contactId }) => contactId },
  { column: 'method', type: 'text', value: ({ method }) => method },
  { column: 'url', type: 'text', value: ({ url }) => url },
  { column: 'headers', type: 'json', value: ({ headers }) => JSON.stringify(headers) },
  { column: 'body', type: 'text', value: ({ body }) => body },
  { column: 'error', type: 'text', value: ({ error }) => error },
]);

/** The end of a statement that adds calls. */
const wakes = `SELECT a.id, greatest(now(), e.rests_until) AS "dueAt"
  FROM (SELECT DISTINCT endpoint_id AS id FROM added WHERE status = 'PENDING') AS a LEFT JOIN endpoints e ON e.project_id = $1 AND e.id = a.id`;

/** Calls of subscriptions and of steps (docs/decisions/0040-webhook-calls.md). */
export class CallsRepository {
  constructor(private readonly database: Database) {}

  /** One request for each event, and one call of it for each subscription that asks for it. Those of a paused or disabled one have failed already, for a replay. */
  addOfEvents(projectId: string, events: readonly EventToCall[]): Promise<Wake[]> {
    return this.database.often(
      `WITH given AS MATERIALIZED (SELECT DISTINCT ON (id) * FROM ${eventColumns.unnest('g', 2)} ORDER BY id),
       asking AS MATERIALIZED (
         SELECT id, status, generation, event_types, CASE WHEN status <> 'ACTIVE' THEN 'The webhook was ' || lower(status) END AS error
         FROM webhooks WHERE project_id = $1 AND event_types && ARRAY(SELECT event_type FROM given)),
       stored AS (
         INSERT INTO call_requests (project_id, id, contact_id, body, created_at)
         SELECT $1::uuid, g.id, g.contact_id, g.body, g.at FROM given g
         WHERE EXISTS (SELECT FROM asking w WHERE g.event_type = ANY (w.event_types))
           AND NOT EXISTS (SELECT FROM erased_contacts x WHERE x.project_id = $1 AND x.contact_id = g.contact_id)
         ON CONFLICT DO NOTHING RETURNING id),
       added AS (
         INSERT INTO calls (project_id, id, request_id, endpoint_id, event_type, generation, created_at, status, due_at, error, ended_at)
         SELECT $1::uuid, uuidv7(), g.id, w.id, g.event_type, w.generation, g.at, CASE WHEN w.error IS NULL THEN 'PENDING' ELSE 'FAILED' END,
           CASE WHEN w.error IS NULL THEN now() END, w.error, CASE WHEN w.error IS NOT NULL THEN now() END
         FROM stored JOIN given g USING (id) JOIN asking w ON g.event_type = ANY (w.event_types)
         RETURNING endpoint_id, status)
       ${wakes}`,
      [projectId, ...eventColumns.values(events)],
    );
  }

  addOfSteps(projectId: string, calls: readonly PlacedStepCall[]): Promise<Wake[]> {
    return this.database.often(
      `WITH given AS MATERIALIZED (SELECT * FROM ${stepColumns.unnest('g', 2)}),
       stored AS (
         INSERT INTO call_requests (project_id, id, contact_id, execution_id, method, url, headers, body)
         SELECT $1::uuid, id, contact_id, execution_id, method, url, headers, body FROM given ORDER BY id
         ON CONFLICT DO NOTHING RETURNING id),
       added AS (
         INSERT INTO calls (project_id, id, request_id, endpoint_id, error, status, due_at, ended_at)
         SELECT $1::uuid, id, id, endpoint_id, error, CASE WHEN error IS NULL THEN 'PENDING' ELSE 'FAILED' END, CASE WHEN error IS NULL THEN now() END,
           CASE WHEN error IS NOT NULL THEN now() END
         FROM stored JOIN given USING (id) RETURNING endpoint_id, status)
       ${wakes}`,
      [projectId, ...stepColumns.values(calls)],
    );
  }

  async results(projectId: string, ids: readonly string[]): Promise<ReadonlyMap<string, CallResult>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database.query<CallResult & { id: string }>(
      `SELECT id, status, response_status AS "responseStatus", response_body AS "responseBody", error
       FROM calls WHERE project_id = $1 AND id = ANY ($2::uuid[])`,
      [projectId, ids],
    );
    return new Map(rows.map(({ id, ...result }) => [id, result]));
  }

  /** With at most so many due calls of each endpoint, and one of a broken one. */
  open(projectId: string, ids: readonly string[], limit: number): Promise<OpenEndpoint[]> {
    return this.database.query(
      `SELECT p.id, w.url, ${restMs} AS "restMs", (extract(epoch FROM ${nextDueAt('p.id')} - now()) * 1000)::float8 AS "nextMs",
         coalesce(w.status = 'ACTIVE' AND NOT EXISTS (
           SELECT FROM calls o WHERE o.project_id = $1 AND o.endpoint_id = p.id AND o.status = 'PENDING' AND o.generation < w.generation), false) AS "isActive",
         coalesce((SELECT json_agg(d) FROM (
           SELECT c.id, c.request_id AS "requestId", c.attempts, c.retries, c.claims FROM calls c
           WHERE c.project_id = $1 AND c.endpoint_id = p.id AND c.status = 'PENDING' AND c.generation = coalesce(w.generation, 0) AND c.due_at <= now()
           ORDER BY c.due_at, c.id LIMIT CASE WHEN e.rests_until > now() THEN 0 WHEN ${isBroken} THEN 1 ELSE $3 END) AS d), '[]') AS calls
       FROM unnest($2::uuid[]) AS p (id) LEFT JOIN webhooks w ON w.project_id = $1 AND w.id = p.id
       LEFT JOIN endpoints e ON e.project_id = $1 AND e.id = p.id`,
      [projectId, ids, limit],
    );
  }

  async requests(projectId: string, ids: readonly string[]): Promise<ReadonlyMap<string, CallRequest>> {
    const rows = await this.database.query<Omit<CallRequest, 'body'> & { body: string | null }>(
      `SELECT r.id, r.execution_id AS "executionId", x.workflow_id AS "workflowId", r.method, r.url, r.headers, r.body
       FROM call_requests r LEFT JOIN executions x ON x.project_id = $1 AND x.id = r.execution_id
       WHERE r.project_id = $1 AND r.id = ANY ($2::uuid[])`,
      [projectId, ids],
    );
    return new Map(
      rows.map((row) => [row.id, { ...row, body: row.body === null ? null : Buffer.from(row.body) }]),
    );
  }

  /** Returns those that have ended. What was recorded since counts, and not this. Planned each time: a plan of the young table would read all that waits. */
  async record(projectId: string, attempts: readonly CallAttempt[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string | null }>(
      `UPDATE calls c SET attempts = c.attempts + 1, retries = c.retries + 1, claims = 0, status = a.status,
         due_at = now() + a.in_seconds * interval '1 second', response_status = a.response_status, response_body = a.response_body,
         error = a.error, duration_ms = a.duration_ms, ended_at = CASE WHEN a.status <> 'PENDING' THEN now() END,
         history = CASE WHEN c.attempts > 0 OR a.status = 'PENDING' THEN ${lastAttempts} || ${thisAttempt} END
       FROM ${attemptColumns.unnest('a', 2)}
       WHERE c.project_id = $1 AND c.id = a.id AND c.status = 'PENDING' AND c.attempts = a.attempts
       RETURNING CASE WHEN c.status <> 'PENDING' THEN c.id END AS id`,
      [projectId, ...attemptColumns.values(attempts)],
    );
    return rows.flatMap(({ id }) => id ?? []);
  }

  /** Calls that are being made, or might have been. */
  async addClaim(projectId: string, calls: readonly DueCall[]): Promise<void> {
    if (calls.length === 0) return;
    await this.database.query(
      `UPDATE calls SET claims = claims + 1 WHERE project_id = $1 AND id = ANY ($2::uuid[]) AND status = 'PENDING'`,
      [projectId, calls.map(({ id }) => id)],
    );
  }

  /** Of a subscription that stopped, what was waiting has failed; of one that is gone, everything goes. Returns how many of at most `limit`. */
  async tidyUp(projectId: string, endpointId: string, limit: number): Promise<number> {
    const ended = await this.database.query(
      `UPDATE calls c SET status = 'FAILED', due_at = NULL, ended_at = now(), error = 'The webhook was stopped'
       WHERE c.project_id = $1 AND c.endpoint_id = $2 AND c.id = ANY (ARRAY(
         SELECT waiting.id FROM calls waiting JOIN webhooks w ON w.project_id = $1 AND w.id = $2 AND waiting.generation < w.generation
         WHERE waiting.project_id = $1 AND waiting.endpoint_id = $2 AND waiting.status = 'PENDING' LIMIT $3)) RETURNING 1`,
      [projectId, endpointId, limit],
    );
    return ended.length + (await this.removeOfDeleted(projectId, endpointId, limit));
  }

  /** Each statement sees what the one before it has left; requests that two subscriptions leave at once go with their age. */
  private async removeOfDeleted(projectId: string, endpointId: string, limit: number): Promise<number> {
    const gone = await this.database.query<{ requestId: string }>(
      `DELETE FROM calls WHERE project_id = $1 AND endpoint_id = $2 AND id = ANY (ARRAY(
         SELECT id FROM calls WHERE project_id = $1 AND endpoint_id = $2 AND event_type IS NOT NULL
           AND NOT EXISTS (SELECT FROM webhooks w WHERE w.project_id = $1 AND w.id = $2) LIMIT $3)) RETURNING request_id AS "requestId"`,
      [projectId, endpointId, limit],
    );
    if (gone.length > 0)
      await this.database.query(
        `DELETE FROM call_requests r WHERE r.project_id = $1 AND r.id = ANY ($2::uuid[])
           AND NOT EXISTS (SELECT FROM calls c WHERE c.project_id = $1 AND c.request_id = r.id)`,
        [projectId, gone.map(({ requestId }) => requestId)],
      );
    return gone.length;
  }
}

export function bodyOf({ id, type, at, data }: { id: string; type: string; at: Date; data: object }): string {
  return JSON.stringify({ id, type, createdAt: at.toISOString(), data });
}
