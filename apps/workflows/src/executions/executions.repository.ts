import type { Authority, ExecutionStatus } from '@posthorn/contracts';
import { columnsOf, newId, type Database } from '@posthorn/database';
import type { WorkQueue } from '@posthorn/work';
import type { CountChange } from '../counts/workflow-counts.repository.js';
import { executionWork } from '../work-kinds.js';
import type { DueExecution, ExecutionChange, StepVisit, ExecutionWait } from './execution-row.js';

const changes = columnsOf<ExecutionChange>([
  { column: 'id', type: 'uuid', value: ({ id }) => id },
  { column: 'status', type: 'text', value: ({ status }) => status },
  { column: 'reason', type: 'text', value: ({ reason }) => reason },
  { column: 'current_step_id', type: 'uuid', value: ({ currentStepId }) => currentStepId },
  { column: 'visits', type: 'jsonb', value: ({ visits }) => JSON.stringify(visits) },
  { column: 'wait', type: 'text', value: ({ wait }) => wait },
  { column: 'due_at', type: 'timestamptz', value: ({ dueAt }) => dueAt },
  { column: 'entered_at', type: 'timestamptz', value: ({ enteredAt }) => enteredAt },
  { column: 'turn', type: 'int', value: ({ turn }) => turn },
]);

const visits = columnsOf<StepVisit>([
  { column: 'execution_id', type: 'uuid', value: ({ executionId }) => executionId },
  { column: 'id', type: 'uuid', value: () => newId() },
  { column: 'step_id', type: 'uuid', value: ({ stepId }) => stepId },
  { column: 'visit', type: 'int', value: ({ visit }) => visit },
  { column: 'status', type: 'text', value: ({ status }) => status },
  { column: 'entered_at', type: 'timestamptz', value: ({ enteredAt }) => enteredAt },
  { column: 'due_at', type: 'timestamptz', value: ({ dueAt }) => dueAt },
  { column: 'ended_at', type: 'timestamptz', value: ({ endedAt }) => endedAt },
  { column: 'branch', type: 'text', value: ({ branch }) => branch },
  { column: 'input', type: 'jsonb', value: ({ input }) => input && JSON.stringify(input) },
  { column: 'output', type: 'jsonb', value: ({ output }) => output && JSON.stringify(output) },
  { column: 'error', type: 'text', value: ({ error }) => error },
]);

export interface StepOutput {
  executionId: string;
  stepId: string;
  output: Record<string, unknown>;
}

export class ExecutionsRepository {
  constructor(private readonly database: Database) {}

  /** Never ahead, as rounding would be. */
  async now(): Promise<Date> {
    const [clock] = await this.database.query<{ at: Date }>(
      `SELECT date_trunc('milliseconds', clock_timestamp()) AS at`,
    );
    return clock!.at;
  }

  async anyRunning(projectId: string, workflowId: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM executions WHERE project_id = $1 AND workflow_id = $2 AND ended_at IS NULL LIMIT 1`,
      [projectId, workflowId],
    );
    return rows.length > 0;
  }

  /** Those that can go on now, or whose webhook may have been answered; others have ended, were paused with their workflow, or wait. */
  due(projectId: string, ids: readonly string[]): Promise<DueExecution[]> {
    return this.database.query(
      `SELECT e.id, e.workflow_id AS "workflowId", w.name AS "workflowName", e.workflow_version AS "workflowVersion", w.exit_when AS "exitWhen",
         array_to_json(array_remove(ARRAY[v.lender, e.starter], NULL)) AS lenders,
         e.contact_id AS "contactId", e.status, e.current_step_id AS "currentStepId", e.visits, e.wait, e.entered_at AS "enteredAt", e.due_at AS "dueAt",
         e.started_at AS "startedAt", e.context, e.event, e.turn, e.due_at <= now() AS "isDue",
         (SELECT s.step_id || ' ' || s.visit FROM execution_steps s WHERE s.project_id = e.project_id AND s.execution_id = e.id AND s.step_id = e.current_step_id
            AND s.visit = (e.visits ->> e.current_step_id::text)::int AND s.status = 'WAITING') AS "openStep",
         CASE WHEN a.met_by IS NOT NULL THEN jsonb_build_object('id', a.met_by, 'name', a.event_name, 'data', a.met_data, 'at', a.met_at, 'since', a.since, 'ledBy', a.led_by) END AS met
       FROM executions e JOIN workflows w ON w.project_id = e.project_id AND w.id = e.workflow_id AND w.generation = e.generation
       LEFT JOIN workflow_versions v ON v.project_id = e.project_id AND v.workflow_id = e.workflow_id AND v.version = e.workflow_version
       LEFT JOIN execution_waits a ON a.project_id = e.project_id AND a.execution_id = e.id
       WHERE e.project_id = $1 AND e.id = ANY ($2::uuid[]) AND e.ended_at IS NULL AND (e.due_at <= now() OR e.wait = 'WEBHOOK')`,
      [projectId, ids],
    );
  }

  /** When the others of a batch are due; null for those that have ended or were paused with their workflow. */
  async dueTimes(projectId: string, ids: readonly string[]): Promise<Map<string, Date>> {
    const rows = await this.database.query<{ id: string; dueAt: Date }>(
      `SELECT e.id, e.due_at AS "dueAt" FROM executions e
       JOIN workflows w ON w.project_id = e.project_id AND w.id = e.workflow_id AND w.generation = e.generation
       WHERE e.project_id = $1 AND e.id = ANY ($2::uuid[]) AND e.ended_at IS NULL`,
      [projectId, ids],
    );
    return new Map(rows.map(({ id, dueAt }) => [id, dueAt]));
  }

  /** The last output of each step that put something out. */
  outputs(projectId: string, ids: readonly string[]): Promise<StepOutput[]> {
    return this.database.query(
      `SELECT DISTINCT ON (execution_id, step_id) execution_id AS "executionId", step_id AS "stepId", output FROM execution_steps
       WHERE project_id = $1 AND execution_id = ANY ($2::uuid[]) AND output IS NOT NULL ORDER BY execution_id, step_id, visit DESC`,
      [projectId, ids],
    );
  }

  /** Until the end of the transaction no pause of these workflows can commit. */
  async lockAgainstPauses(projectId: string, workflowIds: readonly string[]): Promise<void> {
    await this.database.query(
      `SELECT 1 FROM workflows WHERE project_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR SHARE`,
      [projectId, workflowIds],
    );
  }

  /** Ids of those that were still where the activation began; of the others nothing may be written. */
  async save(projectId: string, changed: readonly ExecutionChange[]): Promise<Set<string>> {
    const rows = await this.database.query<{ id: string }>(
      `UPDATE executions e SET status = c.status, reason = c.reason, current_step_id = c.current_step_id, visits = c.visits, wait = c.wait,
         due_at = c.due_at, entered_at = c.entered_at, turn = e.turn + 1, ended_at = CASE WHEN c.due_at IS NULL THEN now() END
       FROM ${changes.unnest('c', 2)}, workflows w
       WHERE e.project_id = $1 AND e.id = c.id AND e.turn = c.turn AND e.ended_at IS NULL
         AND w.project_id = $1 AND w.id = e.workflow_id AND w.generation = e.generation RETURNING e.id`,
      [projectId, ...changes.values([...changed])],
    );
    return new Set(rows.map(({ id }) => id));
  }

  async saveSteps(projectId: string, steps: readonly StepVisit[]): Promise<void> {
    if (steps.length === 0) return;
    await this.database.query(
      `INSERT INTO execution_steps (project_id, execution_id, id, step_id, visit, status, entered_at, due_at, ended_at, branch, input, output, error)
       SELECT $1::uuid, s.* FROM ${visits.unnest('s', 2)}
       ON CONFLICT (project_id, execution_id, step_id, visit) DO UPDATE SET status = excluded.status, due_at = excluded.due_at,
         ended_at = excluded.ended_at, branch = excluded.branch, output = excluded.output, error = excluded.error`,
      [projectId, ...visits.values([...steps])],
    );
  }
}

export interface LockedExecution {
  id: string;
  workflowId: string;
  contactId: string;
  status: ExecutionStatus;
  wait: ExecutionWait | null;
  /** The workflow was not paused since it started. */
  isCurrent: boolean;
  /** It is over by a pause, whatever its status says. */
  isStopped: boolean;
}

export class ExecutionMoves {
  constructor(
    private readonly database: Database,
    private readonly queue: WorkQueue,
  ) {}

  goOn(projectId: string, id: string): Promise<void> {
    return this.queue.enqueue(executionWork, [{ projectId, key: id }]);
  }

  async lock(projectId: string, workflowId: string, id: string): Promise<LockedExecution | null> {
    const [row] = await this.database.query<LockedExecution>(
      `SELECT e.id, e.workflow_id AS "workflowId", e.contact_id AS "contactId", e.status, e.wait, e.generation = w.generation AS "isCurrent",
         e.ended_at IS NULL AND e.generation < w.generation AS "isStopped"
       FROM executions e JOIN workflows w ON w.project_id = e.project_id AND w.id = e.workflow_id
       WHERE e.project_id = $1 AND e.workflow_id = $2 AND e.id = $3 FOR UPDATE OF e FOR SHARE OF w`,
      [projectId, workflowId, id],
    );
    return row ?? null;
  }

  /** A mover that is confined confines the rest of the execution. */
  async reopen(projectId: string, id: string, mover: Authority | null): Promise<void> {
    await this.database.query(
      `UPDATE executions SET status = 'RUNNING', reason = NULL, ended_at = NULL, due_at = now(), entered_at = now(), turn = turn + 1, starter = coalesce($3, starter),
         visits = jsonb_set(visits, ARRAY[current_step_id::text], to_jsonb((visits ->> current_step_id::text)::int + 1))
       WHERE project_id = $1 AND id = $2`,
      [projectId, id, mover && JSON.stringify(mover)],
    );
  }

  async endWait(projectId: string, id: string, mover: Authority | null): Promise<void> {
    await this.database.query(
      `UPDATE executions SET due_at = now(), starter = coalesce($3, starter) WHERE project_id = $1 AND id = $2`,
      [projectId, id, mover && JSON.stringify(mover)],
    );
  }
}

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
