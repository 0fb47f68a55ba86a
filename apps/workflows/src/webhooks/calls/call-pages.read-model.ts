import {
  webhookCallNotFound,
  type ListWebhookCalls,
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

interface CallRow extends Omit<WebhookCall, 'payload' | 'attempts'> {
  body: string;
  attempts: (Omit<WebhookAttempt, 'at'> & { at: string })[] | null;
}

const shownAttempts = 20;

const selectCalls = `
  SELECT c.id, c.event_type AS "eventType", c.attempts AS attempt, c.status, c.response_status AS "responseStatus", c.response_body AS "responseBody",
    c.error, c.duration_ms AS "durationMs", c.due_at AS "nextAttemptAt", c.created_at AS "createdAt", c.body,
    (SELECT json_agg(json_build_object('attempt', attempt, 'at', at, 'responseStatus', response_status, 'error', error, 'durationMs', duration_ms) ORDER BY attempt)
     FROM (SELECT * FROM webhook_attempts a WHERE a.project_id = c.project_id AND a.webhook_id = c.webhook_id AND a.call_id = c.id
           ORDER BY attempt DESC LIMIT ${shownAttempts}) AS last) AS attempts
  FROM webhook_calls c WHERE c.project_id = $1 AND c.webhook_id = $2`;

export class CallPages {
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
         SELECT 1 FROM webhook_calls WHERE project_id = $1 AND webhook_id = $2 LIMIT ${totalCap + 1}) AS capped`,
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
    attempts: (attempts ?? []).map((attempt) => ({ ...attempt, at: new Date(attempt.at) })),
  };
}
