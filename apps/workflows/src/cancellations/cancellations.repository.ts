import type { Database } from '@posthorn/database';
import type { WorkflowRow } from '../workflows/workflow.entity.js';
import type { RemovedSteps } from '../work-kinds.js';

type Workflow = Pick<WorkflowRow, 'projectId' | 'id' | 'generation'>;

export class CancellationsRepository {
  constructor(private readonly database: Database) {}

  /** Those of an earlier generation are over, whatever their rows say. */
  async anyRunning({ projectId, id, generation }: Workflow): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM executions WHERE project_id = $1 AND workflow_id = $2 AND generation = $3 AND ended_at IS NULL LIMIT 1`,
      [projectId, id, generation],
    );
    return rows.length > 0;
  }

  async countRunning({ projectId, id, generation }: Workflow): Promise<{ count: number; at: Date }> {
    const [counted] = await this.database.query<{ count: number; at: Date }>(
      `SELECT count(*)::int AS count, clock_timestamp() AS at FROM executions
       WHERE project_id = $1 AND workflow_id = $2 AND generation = $3 AND ended_at IS NULL`,
      [projectId, id, generation],
    );
    return counted!;
  }

  async stopped(projectId: string, workflowId: string, limit: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT e.id FROM workflows w JOIN executions e ON e.project_id = w.project_id AND e.workflow_id = w.id
         AND e.generation < w.generation AND e.ended_at IS NULL
       WHERE w.project_id = $1 AND w.id = $2 LIMIT $3`,
      [projectId, workflowId, limit],
    );
    return rows.map(({ id }) => id);
  }

  /** What a worker added to them until their rows were locked is seen by the later statements only. */
  async removeExecutions(projectId: string, workflowId: string, limit: number): Promise<string[]> {
    const ids = await this.removed('executions', 'id', projectId, workflowId, limit);
    for (const table of ['execution_steps', 'execution_waits', 'step_texts'])
      await this.database.query(
        `DELETE FROM ${table} WHERE project_id = $1 AND execution_id = ANY ($2::uuid[])`,
        [projectId, ids],
      );
    return ids;
  }

  removeEntries(projectId: string, workflowId: string, limit: number): Promise<string[]> {
    return this.removed('workflow_entries', 'contact_id', projectId, workflowId, limit);
  }

  /** The executions after this one, in the order of their ids, that went through another graph than the present one. */
  async executionsBefore(
    projectId: string,
    { workflowId, version, after }: RemovedSteps,
    limit: number,
  ): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(
      `SELECT id FROM executions WHERE project_id = $1 AND workflow_id = $2 AND workflow_version < $3 AND ($4::uuid IS NULL OR id > $4)
       ORDER BY id LIMIT $5`,
      [projectId, workflowId, version, after ?? null, limit],
    );
    return rows.map(({ id }) => id);
  }

  async removeSteps(
    projectId: string,
    executionIds: readonly string[],
    stepIds: readonly string[],
  ): Promise<void> {
    await this.database.query(
      `DELETE FROM execution_steps WHERE project_id = $1 AND execution_id = ANY ($2::uuid[]) AND step_id = ANY ($3::uuid[])`,
      [projectId, executionIds, stepIds],
    );
  }

  private async removed(
    table: 'executions' | 'workflow_entries',
    key: 'id' | 'contact_id',
    projectId: string,
    workflowId: string,
    limit: number,
  ): Promise<string[]> {
    const rows = await this.database.query<{ key: string }>(
      `DELETE FROM ${table} WHERE project_id = $1 AND workflow_id = $2 AND ${key} = ANY (ARRAY(
         SELECT ${key} FROM ${table} WHERE project_id = $1 AND workflow_id = $2 LIMIT $3)) RETURNING ${key} AS key`,
      [projectId, workflowId, limit],
    );
    return rows.map((row) => row.key);
  }
}
