import { createHash } from 'node:crypto';
import type { CallStatus } from '@posthorn/contracts';
import { columnsOf, type Database } from '@posthorn/database';
import { type OutboundMethod, outboundRefusals } from '@posthorn/outbound';
import { uuidOf } from '../../ids.js';
import type { OpenEndpoint } from '../dispatch/endpoint-dispatcher.js';
import { standingColumns, type EndpointId } from '../dispatch/endpoints.repository.js';
import { type CallAttempt, type DueCall, attemptColumns, recordedColumns } from '../webhook-attempts.js';

export interface StepCall {
  projectId: string;
  /** Made of execution, step and visit; also its `webhook-id`. */
  id: string;
  executionId: string;
  contactId: string | null;
  method: OutboundMethod;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | null;
}

export interface StepCallResult {
  status: CallStatus;
  responseStatus: number | null;
  responseBody: string | null;
  error: string | null;
}

export interface DueStepCall extends DueCall, Pick<StepCall, 'method' | 'url' | 'headers' | 'body'> {
  executionId: string;
  workflowId: string | null;
}

interface DueTime {
  projectId: string;
  endpointId: string;
  dueAt: Date;
}

const columns = columnsOf<StepCall & Origin>([
  { column: 'project_id', type: 'uuid', value: ({ projectId }) => projectId },
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

export class StepCallsRepository {
  constructor(private readonly database: Database) {}

  /** Returns when the endpoints of the new ones may be called. */
  add(calls: readonly (StepCall & Origin)[]): Promise<DueTime[]> {
    return this.database.query(
      `WITH added AS (
         INSERT INTO step_calls (project_id, id, endpoint_id, execution_id, contact_id, method, url, headers, body, error, status, due_at, ended_at)
         SELECT s.*, CASE WHEN error IS NULL THEN 'PENDING' ELSE 'FAILED' END, CASE WHEN error IS NULL THEN now() END, CASE WHEN error IS NOT NULL THEN now() END
         FROM ${columns.unnest('s', 1)} ORDER BY project_id, id ON CONFLICT DO NOTHING RETURNING project_id, endpoint_id, status
       )
       SELECT a.project_id AS "projectId", a.endpoint_id AS "endpointId", greatest(now(), e.rests_until) AS "dueAt"
       FROM (SELECT DISTINCT project_id, endpoint_id FROM added WHERE status = 'PENDING') AS a
       LEFT JOIN endpoints e ON e.project_id = a.project_id AND e.id = a.endpoint_id`,
      columns.values(calls),
    );
  }

  results(projectId: string, ids: readonly string[]): Promise<(StepCallResult & { id: string })[]> {
    return this.database.query(
      `SELECT id, status, response_status AS "responseStatus", response_body AS "responseBody", error
       FROM step_calls WHERE project_id = $1 AND id = ANY ($2::uuid[])`,
      [projectId, ids],
    );
  }

  async open({ projectId, id }: EndpointId): Promise<OpenEndpoint> {
    const [endpoint] = await this.database.query<OpenEndpoint>(
      `SELECT f.project_id AS "projectId", f.id, ${standingColumns}
       FROM (SELECT $1::uuid AS project_id, $2::uuid AS id) AS f LEFT JOIN endpoints e USING (project_id, id)`,
      [projectId, id],
    );
    return endpoint!;
  }

  due({ projectId, id }: EndpointId, limit: number): Promise<DueStepCall[]> {
    return this.database.query(
      `SELECT c.id, c.attempts, c.retries, c.claims, c.method, c.url, c.headers, c.body, c.execution_id AS "executionId", x.workflow_id AS "workflowId"
       FROM step_calls c LEFT JOIN executions x ON x.project_id = $1 AND x.id = c.execution_id WHERE c.project_id = $1 AND c.endpoint_id = $2 AND c.status = 'PENDING' AND c.due_at <= now() ORDER BY c.due_at, c.id LIMIT $3`,
      [projectId, id, limit],
    );
  }

  async nextDueMs({ projectId, id }: EndpointId): Promise<number | null> {
    const [next] = await this.database.query<{ ms: number }>(
      `SELECT (greatest(0, extract(epoch FROM due_at - now())) * 1000)::float8 AS ms FROM step_calls
       WHERE project_id = $1 AND endpoint_id = $2 AND status = 'PENDING' ORDER BY due_at, id LIMIT 1`,
      [projectId, id],
    );
    return next?.ms ?? null;
  }

  /** Returns the executions whose calls have ended. */
  async record(projectId: string, attempts: readonly CallAttempt[]): Promise<string[]> {
    const rows = await this.database.query<{ executionId: string }>(
      `UPDATE step_calls c SET ${recordedColumns}
       FROM ${attemptColumns.unnest('a', 2)} WHERE c.project_id = $1 AND c.id = a.id AND c.status = 'PENDING' AND c.attempts = a.attempts
       RETURNING CASE WHEN c.status <> 'PENDING' THEN c.execution_id END AS "executionId"`,
      [projectId, ...attemptColumns.values(attempts)],
    );
    return rows.flatMap(({ executionId }) => executionId ?? []);
  }

  async addClaims(projectId: string, calls: readonly DueCall[], by: number): Promise<void> {
    if (calls.length === 0) return;
    await this.database.query(
      `UPDATE step_calls SET claims = greatest(0, claims + $3) WHERE project_id = $1 AND id = ANY ($2::uuid[]) AND status = 'PENDING'`,
      [projectId, calls.map(({ id }) => id), by],
    );
  }
}

export interface Origin {
  endpointId: string;
  error: string | null;
}

/** All calls of a project to one origin share a turn. */
export function originOf({ projectId, url }: { projectId: string; url: string }): Origin {
  const origin = URL.canParse(url) ? new URL(url).origin : '';
  const isUsable = /^https?:/.test(origin);
  const error = isUsable ? null : `The URL ${outboundRefusals[origin === '' ? 'url' : 'scheme']}`;
  const bytes = createHash('sha256').update(`${projectId} ${origin}`).digest().subarray(0, 16);
  return { endpointId: uuidOf(bytes, 8), error };
}
