import type { ExecutionStatus } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import type { CountChange } from '../counts/workflow-counts.repository.js';

export interface EndedExecution {
  id: string;
  workflowId: string;
  status: ExecutionStatus;
  /** Where it waited, or had something to do. */
  stepId: string | null;
}

interface EndingExecution {
  workflow: { id: string; name: string };
  contactId: string;
  startedAt: Date;
}

export class EndedExecutions {
  constructor(private readonly database: Database) {}

  async about(projectId: string, id: string): Promise<EndingExecution | null> {
    const [row] = await this.database.query<EndingExecution>(
      `SELECT json_build_object('id', w.id, 'name', w.name) AS workflow, e.contact_id AS "contactId", e.started_at AS "startedAt"
       FROM executions e JOIN workflows w ON w.project_id = e.project_id AND w.id = e.workflow_id
       WHERE e.project_id = $1 AND e.id = $2 AND e.ended_at IS NULL AND e.generation = w.generation`,
      [projectId, id],
    );
    return row ?? null;
  }

  /** Those of them that had not ended, with their open steps and waits. */
  end(
    projectId: string,
    ids: readonly string[],
    { status, reason }: { status: 'CANCELLED' | 'FAILED'; reason: string },
  ): Promise<EndedExecution[]> {
    return this.database.query(
      `WITH running AS (
         SELECT id, workflow_id, status, contact_id FROM executions
         WHERE project_id = $1 AND id = ANY ($2::uuid[]) AND ended_at IS NULL ORDER BY id FOR UPDATE),
       ended AS (
         UPDATE executions e SET status = $3, reason = $4, ended_at = now(), due_at = NULL, wait = NULL, turn = e.turn + 1
         FROM running r WHERE e.project_id = $1 AND e.id = r.id RETURNING e.id),
       removed AS (DELETE FROM execution_waits w USING running r WHERE w.project_id = $1 AND w.execution_id = r.id),
       closed AS (
         UPDATE execution_steps s SET status = CASE $3 WHEN 'FAILED' THEN 'FAILED' ELSE 'SKIPPED' END, ended_at = now(),
           error = CASE $3 WHEN 'FAILED' THEN left($4, 1000) END
         FROM running r WHERE s.project_id = $1 AND s.execution_id = r.id AND s.status = 'WAITING' RETURNING s.execution_id, s.step_id)
       SELECT r.id, r.workflow_id AS "workflowId", r.status, c.step_id AS "stepId"
       FROM running r LEFT JOIN closed c ON c.execution_id = r.id`,
      [projectId, ids, status, reason.slice(0, 500)],
    );
  }
}

export function countsOf(
  { workflowId, status, stepId }: EndedExecution,
  ended: 'CANCELLED' | 'FAILED',
): CountChange[] {
  const step = ended === 'FAILED' ? ('FAILED' as const) : ('SKIPPED' as const);
  return [
    { workflowId, stepId: null, counter: status, by: -1 },
    { workflowId, stepId: null, counter: ended, by: 1 },
    ...(stepId === null
      ? []
      : [
          { workflowId, stepId, counter: 'WAITING' as const, by: -1 },
          { workflowId, stepId, counter: step, by: 1 },
        ]),
  ];
}
