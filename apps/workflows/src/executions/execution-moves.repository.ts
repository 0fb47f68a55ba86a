import type { Authority, ExecutionStatus } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';
import type { WorkQueue } from '@posthorn/work';
import { executionWork } from './execution-kinds.js';
import type { ExecutionWait } from './execution-row.js';

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
