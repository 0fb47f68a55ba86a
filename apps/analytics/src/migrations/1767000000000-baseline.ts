import { messagingTables } from '@posthorn/messaging';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { countsTables } from './baseline/counts.js';

/** All tables of this service. Migrations after it only add, so that the release before them still works. */
export class AnalyticsBaseline1767000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const tables of [messagingTables, countsTables]) await runner.query(tables);
  }

  async down(): Promise<void> {
    throw new Error('the baseline is not undone: drop the database');
  }
}
