import { idempotencyKeysTable, projectCountsTable } from '@posthorn/database';
import { messagingTables } from '@posthorn/messaging';
import { workTables } from '@posthorn/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { campaignMailTables } from './baseline/campaign-mail.js';
import { deliveriesTables } from './baseline/deliveries.js';
import { domainsTables } from './baseline/domains.js';
import { emailsTables } from './baseline/emails.js';
import { suppressionsTables } from './baseline/suppressions.js';
import { templatesTables } from './baseline/templates.js';
import { usageTables } from './baseline/usage.js';

/** All tables of this service. Migrations after it only add, so that the release before them still works. */
export class SendingBaseline1767000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const tables of [
      messagingTables,
      idempotencyKeysTable,
      projectCountsTable,
      workTables,
      emailsTables,
      deliveriesTables,
      suppressionsTables,
      usageTables,
      templatesTables,
      domainsTables,
      campaignMailTables,
    ])
      await runner.query(tables);
  }

  async down(): Promise<void> {
    throw new Error('the baseline is not undone: drop the database');
  }
}
