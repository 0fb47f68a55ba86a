import type { WebhookEventType } from '@posthorn/contracts';
import { columnsOf, newId, type Database } from '@posthorn/database';
import type { OutboundResult } from '@posthorn/outbound';
import type { AttemptOutcome } from './attempt-rules.js';

/** What happened, for every subscription of the project that asks for it. */
export interface EventToCall {
  /** The same for every delivery of the event: it becomes `webhook-id`. */
  eventId: string;
  eventType: WebhookEventType;
  contactId: string | null;
  createdAt: Date;
  data: Record<string, unknown>;
}

export interface DueCall {
  id: string;
  eventId: string;
  attempts: number;
  /** The bytes that are signed and sent. */
  body: string;
}

export interface MadeAttempt {
  call: DueCall;
  result: OutboundResult;
  outcome: AttemptOutcome;
}

interface Owner {
  projectId: string;
  id: string;
}

const maxStoredResponse = 16_384;

const eventColumns = columnsOf<EventToCall>([
  { column: 'id', type: 'uuid', value: () => newId() },
  { column: 'event_id', type: 'uuid', value: ({ eventId }) => eventId },
  { column: 'event_type', type: 'text', value: ({ eventType }) => eventType },
  { column: 'contact_id', type: 'uuid', value: ({ contactId }) => contactId },
  {
    column: 'body',
    type: 'text',
    value: ({ eventId, eventType, createdAt, data }) =>
      JSON.stringify({ id: eventId, type: eventType, createdAt: createdAt.toISOString(), data }),
  },
]);

const attemptColumns = columnsOf<MadeAttempt>([
  { column: 'id', type: 'uuid', value: ({ call }) => call.id },
  { column: 'status', type: 'text', value: ({ outcome }) => statusOf(outcome) },
  { column: 'in_seconds', type: 'int', value: ({ outcome }) => (outcome.kind === 'retry' ? outcome.inSeconds : null) },
  { column: 'response_status', type: 'int', value: ({ result }) => (result.kind === 'response' ? result.status : null) },
  { column: 'response_body', type: 'text', value: ({ result }) => (result.kind === 'response' ? storedText(result.body) : null) },
  { column: 'error', type: 'text', value: ({ result }) => errorOf(result) },
  { column: 'duration_ms', type: 'int', value: ({ result }) => result.durationMs },
]);

export class CallsRepository {
  constructor(private readonly database: Database) {}

  /**
   * One call for each event and subscription that asks for it; an event that arrives again changes nothing. Of a paused or disabled subscription
   * they have failed already, for a replay. Returns the subscriptions with something to send.
   */
  async add(projectId: string, events: readonly EventToCall[]): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `WITH added AS (
         INSERT INTO webhook_calls (project_id, webhook_id, id, event_id, event_type, contact_id, body, status, due_at, error)
         SELECT w.project_id, w.id, CASE WHEN row_number() OVER (PARTITION BY e.id) = 1 THEN e.id ELSE gen_random_uuid() END, e.event_id, e.event_type, e.contact_id, e.body,
           CASE WHEN w.status = 'ACTIVE' THEN 'PENDING' ELSE 'FAILED' END, CASE WHEN w.status = 'ACTIVE' THEN now() END,
           CASE WHEN w.status <> 'ACTIVE' THEN 'The subscription was ' || lower(w.status) END
         FROM ${eventColumns.unnest('e', 2)} JOIN webhooks w ON w.project_id = $1 AND e.event_type = ANY (w.event_types)
         ORDER BY w.id, e.event_id
         ON CONFLICT (project_id, webhook_id, event_id) DO NOTHING RETURNING webhook_id, status
       )
       SELECT DISTINCT webhook_id AS id FROM added WHERE status = 'PENDING'`,
      [projectId, ...eventColumns.values([...events])],
    );
    return rows.map(({ id }) => id);
  }

  due({ projectId, id }: Owner, limit: number): Promise<DueCall[]> {
    return this.database.query(
      `SELECT id, event_id AS "eventId", attempts, body FROM webhook_calls
       WHERE project_id = $1 AND webhook_id = $2 AND status = 'PENDING' AND due_at <= now() ORDER BY due_at, id LIMIT $3`,
      [projectId, id, limit],
    );
  }

  async nextDue(projectId: string, webhookId: string): Promise<Date | null> {
    const [next] = await this.database.query<{ at: Date }>(
      `SELECT due_at AS at FROM webhook_calls WHERE project_id = $1 AND webhook_id = $2 AND status = 'PENDING' ORDER BY due_at, id LIMIT 1`,
      [projectId, webhookId],
    );
    return next?.at ?? null;
  }

  async record({ projectId, id }: Owner, attempts: readonly MadeAttempt[]): Promise<void> {
    await this.database.query(
      `WITH made AS (
         UPDATE webhook_calls c SET attempts = c.attempts + 1, status = a.status, due_at = now() + a.in_seconds * interval '1 second',
           response_status = a.response_status, response_body = a.response_body, error = a.error, duration_ms = a.duration_ms,
           ended_at = CASE WHEN a.status <> 'PENDING' THEN now() END
         FROM ${attemptColumns.unnest('a', 3)} WHERE c.project_id = $1 AND c.webhook_id = $2 AND c.id = a.id AND c.status = 'PENDING'
         RETURNING c.id, c.attempts, a.response_status, a.response_body, a.error, a.duration_ms
       )
       INSERT INTO webhook_attempts (project_id, webhook_id, call_id, attempt, response_status, response_body, error, duration_ms)
       SELECT $1, $2, id, attempts, response_status, response_body, error, duration_ms FROM made`,
      [projectId, id, ...attemptColumns.values([...attempts])],
    );
  }
}

function statusOf({ kind }: AttemptOutcome): 'PENDING' | 'SUCCESS' | 'FAILED' {
  if (kind === 'success') return 'SUCCESS';
  return kind === 'retry' ? 'PENDING' : 'FAILED';
}

function errorOf(result: OutboundResult): string | null {
  switch (result.kind) {
    case 'response':
      return null;
    case 'refused':
      return `The address was refused: it ${result.refusal}`;
    case 'failed':
      return `${result.fault}: ${storedText(result.detail)}`.slice(0, 300);
  }
}

/** What Postgres can store as text. */
const storedText = (text: string): string => text.toWellFormed().replaceAll('\u0000', '\ufffd').slice(0, maxStoredResponse);
