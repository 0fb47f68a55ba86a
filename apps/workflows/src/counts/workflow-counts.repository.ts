import type { ExecutionStatus, StepStatus } from '@posthorn/contracts';
import { columnsOf, type Database } from '@posthorn/database';

export type WorkflowCounter = ExecutionStatus | 'PUT_OFF' | 'DROPPED';
export type StepCounter = 'ENTERED' | StepStatus;

export interface CountChange {
  workflowId: string;
  /** Null for the workflow itself. */
  stepId: string | null;
  counter: WorkflowCounter | StepCounter;
  by: number;
}

const ofWorkflow = '00000000-0000-0000-0000-000000000000';

const columns = columnsOf<CountChange>([
  { column: 'workflow_id', type: 'uuid', value: ({ workflowId }) => workflowId },
  { column: 'step_id', type: 'uuid', value: ({ stepId }) => stepId ?? ofWorkflow },
  { column: 'counter', type: 'text', value: ({ counter }) => counter },
  { column: 'value', type: 'bigint', value: ({ by }) => by },
]);

export interface WorkflowCount {
  stepId: string | null;
  counter: WorkflowCounter | StepCounter;
  value: number;
}

const shards = 8;

/** Exact, because each change is counted in its own transaction. */
export class WorkflowCounts {
  constructor(private readonly database: Database) {}

  async add(projectId: string, changes: readonly CountChange[]): Promise<void> {
    const summed = sumsOf(changes);
    if (summed.length === 0) return;
    await this.database.often(
      `INSERT INTO workflow_counts AS known (project_id, shard, workflow_id, step_id, counter, value)
       SELECT $1::uuid, pg_backend_pid() % ${shards}, c.* FROM ${columns.unnest('c', 2)} JOIN workflows w ON w.project_id = $1 AND w.id = c.workflow_id
       ORDER BY c.workflow_id, c.step_id, c.counter
       ON CONFLICT (project_id, workflow_id, step_id, counter, shard) DO UPDATE SET value = known.value + excluded.value`,
      [projectId, ...columns.values(summed)],
    );
  }

  async of(projectId: string, workflowId: string): Promise<WorkflowCount[]> {
    return this.database.query(
      `SELECT nullif(step_id, '${ofWorkflow}') AS "stepId", counter, sum(value)::bigint AS value FROM workflow_counts
       WHERE project_id = $1 AND workflow_id = $2 GROUP BY step_id, counter`,
      [projectId, workflowId],
    );
  }
}

function sumsOf(changes: readonly CountChange[]): CountChange[] {
  const sums = new Map<string, CountChange>();
  for (const change of changes) {
    const key = `${change.workflowId} ${change.stepId} ${change.counter}`;
    sums.set(key, { ...change, by: (sums.get(key)?.by ?? 0) + change.by });
  }
  return [...sums.values()].filter(({ by }) => by !== 0);
}
