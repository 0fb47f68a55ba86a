import { messagingTables } from '@posthorn/messaging';
import { workTables } from '@posthorn/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { accountsTables } from './baseline/accounts.js';
import { apiKeysTables } from './baseline/api-keys.js';
import { auditTables } from './baseline/audit.js';
import { membersTables } from './baseline/members.js';
import { oauthTables } from './baseline/oauth.js';
import { projectsTables } from './baseline/projects.js';

/** All tables of this service. Migrations after it only add, so that the release before them still works. */
export class GatewayBaseline1767000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const tables of [
      messagingTables,
      workTables,
      accountsTables,
      projectsTables,
      membersTables,
      apiKeysTables,
      oauthTables,
      auditTables,
    ])
      await runner.query(tables);
  }

  async down(): Promise<void> {
    throw new Error('the baseline is not undone: drop the database');
  }
}
