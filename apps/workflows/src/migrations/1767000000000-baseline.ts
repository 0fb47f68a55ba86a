import { projectCountsTable } from '@posthorn/database';
import { messagingTables } from '@posthorn/messaging';
import { workTables } from '@posthorn/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { executionsTables } from './baseline/executions.js';
import { webhooksTables } from './baseline/webhooks.js';
import { workflowsTables } from './baseline/workflows.js';

/** All tables of this service. Migrations after it only add, so that the release before them still works. */
export class WorkflowsBaseline1767000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const tables of [
      messagingTables,
      projectCountsTable,
      workTables,
      workflowsTables,
      executionsTables,
      webhooksTables,
    ])
      await runner.query(tables);
  }

  async down(): Promise<void> {
    throw new Error('the baseline is not undone: drop the database');
  }
}
