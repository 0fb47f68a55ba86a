import type { Authority, ExecutionId, GivenStep } from '@posthorn/contracts';
import type { Database } from '@posthorn/database';

export type LentStep = Pick<GivenStep, 'type' | 'config'>;

export class LendersRepository {
  constructor(private readonly database: Database) {}

  /** Of the present version of a locked workflow. */
  async lend(
    { projectId, id, version }: { projectId: string; id: string; version: number },
    lender: Authority,
  ): Promise<void> {
    await this.database.query(
      `UPDATE workflow_versions SET lender = $4 WHERE project_id = $1 AND workflow_id = $2 AND version = $3`,
      [projectId, id, version, JSON.stringify(lender)],
    );
  }

  /** Of the present graph; none where there is no such workflow. */
  steps(projectId: string, workflowId: string): Promise<LentStep[]> {
    return this.database.query(
      `SELECT type, config FROM workflow_steps WHERE project_id = $1 AND workflow_id = $2`,
      [projectId, workflowId],
    );
  }

  /** Of the version on which it started. */
  async stepsOf(projectId: string, { workflowId, id }: ExecutionId): Promise<LentStep[]> {
    const [row] = await this.database.query<{ steps: LentStep[] }>(
      `SELECT v.graph -> 'steps' AS steps FROM executions e
       JOIN workflow_versions v ON v.project_id = e.project_id AND v.workflow_id = e.workflow_id AND v.version = e.workflow_version
       WHERE e.project_id = $1 AND e.workflow_id = $2 AND e.id = $3`,
      [projectId, workflowId, id],
    );
    return row?.steps ?? [];
  }
}
