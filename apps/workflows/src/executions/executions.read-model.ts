import type {
  Execution,
  ExecutionStatus,
  ExecutionStep,
  ExecutionWithSteps,
  ListExecutions,
  WorkflowGraph,
} from '@posthorn/contracts';
import {
  cappedTotal,
  narrowedBy,
  pageLimit,
  toPage,
  totalCap,
  type Database,
  type Page,
  type Total,
} from '@posthorn/database';

/** A paused workflow's executions are over before their rows say so (docs/decisions/0030-workflows.md). */
const isStopped = `e.ended_at IS NULL AND e.generation < w.generation`;
const columns = `e.id, e.workflow_id AS "workflowId", e.workflow_version AS "workflowVersion", e.contact_id AS "contactId",
  CASE WHEN ${isStopped} THEN 'CANCELLED' ELSE e.status END AS status, CASE WHEN ${isStopped} THEN 'The workflow was paused' ELSE e.reason END AS reason,
  e.current_step_id AS "currentStepId", e.context, e.started_at AS "startedAt", CASE WHEN ${isStopped} THEN w.paused_at ELSE e.ended_at END AS "endedAt"`;
const from = `executions e JOIN workflows w ON w.project_id = e.project_id AND w.id = e.workflow_id`;
const maxSteps = 1_000;

type StoredStep = Omit<ExecutionStep, 'stepName' | 'type'>;

export class Executions {
  constructor(private readonly database: Database) {}

  async page(projectId: string, query: ListExecutions): Promise<Page<Execution>> {
    const parameters: unknown[] = [projectId, query.workflowId];
    const { status, after } = query;
    const earlier = after
      ? { sql: '(e.started_at, e.id) < (:at, :id)', parameters: { at: after.at, id: after.id } }
      : null;
    const narrowed = narrowedBy([earlier], parameters);
    const limit = pageLimit(query) + 1;
    const newest = `ORDER BY e.started_at DESC, e.id DESC LIMIT ${limit}`;
    const parts = filtersOf(status, `${narrowed} ${newest}`).map(
      (filter) =>
        `(SELECT ${columns} FROM ${from} WHERE e.project_id = $1 AND e.workflow_id = $2 AND ${filter}${narrowed} ${newest})`,
    );
    const rows = await this.database.query<Execution>(
      `SELECT * FROM (${parts.join(' UNION ALL ')}) AS parts ORDER BY "startedAt" DESC, id DESC LIMIT ${limit}`,
      parameters,
    );
    const page = toPage(
      rows.map((row) => ({ ...row, createdAt: row.startedAt })),
      query,
    );
    return { ...page, items: page.items.map(({ createdAt: _, ...execution }) => execution) };
  }

  async total(projectId: string, { workflowId, status }: ListExecutions): Promise<Total> {
    const capped = `LIMIT ${totalCap + 1}`;
    const parts = filtersOf(status, capped).map(
      (filter) =>
        `(SELECT 1 FROM ${from} WHERE e.project_id = $1 AND e.workflow_id = $2 AND ${filter} ${capped})`,
    );
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM (SELECT 1 FROM (${parts.join(' UNION ALL ')}) AS parts ${capped}) AS capped`,
      [projectId, workflowId],
    );
    return cappedTotal(row!.count);
  }

  async find(projectId: string, workflowId: string, id: string): Promise<Execution | null> {
    const [row] = await this.database.query<Execution>(
      `SELECT ${columns} FROM ${from} WHERE e.project_id = $1 AND e.workflow_id = $2 AND e.id = $3`,
      [projectId, workflowId, id],
    );
    return row ?? null;
  }

  async isInside(projectId: string, workflowId: string, contactId: string): Promise<boolean> {
    const found = await this.database.query(
      `SELECT 1 FROM ${from} WHERE e.project_id = $1 AND e.workflow_id = $2 AND e.contact_id = $3 AND e.ended_at IS NULL AND NOT (${isStopped})`,
      [projectId, workflowId, contactId],
    );
    return found.length > 0;
  }

  async now(): Promise<Date> {
    const [clock] = await this.database.query<{ at: Date }>(`SELECT now() AS at`);
    return clock!.at;
  }

  async withSteps(
    projectId: string,
    execution: Execution,
    graph: WorkflowGraph | null,
  ): Promise<ExecutionWithSteps> {
    const rows = await this.database.query<StoredStep>(
      `SELECT id, step_id AS "stepId", visit, status, entered_at AS "enteredAt", due_at AS "dueAt", ended_at AS "endedAt", branch, input, output, error
       FROM execution_steps WHERE project_id = $1 AND execution_id = $2 ORDER BY entered_at DESC, id DESC LIMIT ${maxSteps}`,
      [projectId, execution.id],
    );
    const byId = new Map(graph?.steps.map((step) => [step.id, step]));
    const steps = rows.toReversed().map((row): ExecutionStep => {
      const { name = 'Deleted step', type = 'EXIT' } = byId.get(row.stepId) ?? {};
      return { ...row, stepName: name, type };
    });
    return { ...execution, steps };
  }
}

/** Conditions of which a row meets at most one, each with its index; with OR, every execution of the workflow would be read. */
function filtersOf(status: ExecutionStatus | undefined, bounds: string): string[] {
  if (!status) return ['true'];
  const isStored = `e.status = '${status}'`;
  if (status === 'CANCELLED') return [isStored, `e.id IN (${stoppedIds(bounds)})`];
  const isOpen = status === 'RUNNING' || status === 'WAITING';
  return [isOpen ? `${isStored} AND NOT (${isStopped})` : isStored];
}

/** Usually none. Two bounds of the generation let Postgres expect few; one alone, a third of those that run. */
const stoppedIds = (bounds: string): string => `
  WITH stopped AS MATERIALIZED (
    SELECT id, started_at FROM executions WHERE project_id = $1 AND workflow_id = $2 AND ended_at IS NULL
      AND generation >= 0 AND generation < (SELECT generation FROM workflows WHERE project_id = $1 AND id = $2))
  SELECT e.id FROM stopped e WHERE true ${bounds}`;
