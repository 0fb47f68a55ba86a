import { workflowNotFound, type ListWorkflows } from '@posthorn/contracts';
import { CountedRepository, type Database, type Page } from '@posthorn/database';
import { WorkflowRow } from './workflow.entity.js';

export class WorkflowsRepository extends CountedRepository<WorkflowRow> {
  constructor(database: Database) {
    super(database, WorkflowRow, workflowNotFound);
  }

  list(projectId: string, request: ListWorkflows): Promise<Page<WorkflowRow>> {
    return this.page(projectId, request);
  }
}
