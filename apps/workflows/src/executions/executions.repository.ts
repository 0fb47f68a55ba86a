import type { Database } from '@posthorn/database';

export class ExecutionsRepository {
  constructor(private readonly database: Database) {}

  async anyRunning(projectId: string, workflowId: string): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT 1 FROM executions WHERE project_id = $1 AND workflow_id = $2 AND ended_at IS NULL LIMIT 1`,
      [projectId, workflowId],
    );
    return rows.length > 0;
  }
}
