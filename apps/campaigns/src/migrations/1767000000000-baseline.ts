import { idempotencyKeysTable, projectCountsTable } from '@posthorn/database';
import { messagingTables } from '@posthorn/messaging';
import { workTables } from '@posthorn/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { campaignsTables } from './baseline/campaigns.js';
import { launchesTables } from './baseline/launches.js';

/** All tables of this service. Migrations after it only add, so that the release before them still works. */
export class CampaignsBaseline1767000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const tables of [
      messagingTables,
      idempotencyKeysTable,
      projectCountsTable,
      workTables,
      campaignsTables,
      launchesTables,
    ])
      await runner.query(tables);
  }

  async down(): Promise<void> {
    throw new Error('the baseline is not undone: drop the database');
  }
}
