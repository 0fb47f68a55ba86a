import { columnsOf, newId, type Database } from '@posthorn/database';
import type { DueExecution, ExecutionChange, StepVisit } from './execution-row.js';

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

  /** Ids of those that were still where the turn began; of the others nothing may be written. */
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
