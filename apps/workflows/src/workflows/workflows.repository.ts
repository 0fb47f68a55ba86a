import { workflowNotFound, type ListWorkflows } from '@posthorn/contracts';
import { CountedRepository, type Database, type Page } from '@posthorn/database';
import { WorkflowRow } from './workflow.entity.js';

export class WorkflowsRepository extends CountedRepository<WorkflowRow> {
  constructor(database: Database) {
    super(database, WorkflowRow, workflowNotFound);
  }

  /** Nobody else enables one meanwhile, until the end of the transaction. */
  async countEnabled(projectId: string): Promise<number> {
    await this.database.query(
      `SELECT pg_advisory_xact_lock(hashtextextended($1::text || ' enabled workflows', 0))`,
      [projectId],
    );
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM workflows WHERE project_id = $1 AND enabled`,
      [projectId],
    );
    return row!.count;
  }

  list(projectId: string, request: ListWorkflows): Promise<Page<WorkflowRow>> {
    return this.page(projectId, request);
  }
}
