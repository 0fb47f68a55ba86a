import { idempotencyKeysTable, projectCountsTable } from '@posthorn/database';
import { messagingTables } from '@posthorn/messaging';
import { workTables } from '@posthorn/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { contactsTables } from './baseline/contacts.js';
import { erasuresTables } from './baseline/erasures.js';
import { eventsTables } from './baseline/events.js';
import { importsTables } from './baseline/imports.js';
import { listsTables } from './baseline/lists.js';
import { segmentsTables } from './baseline/segments.js';

/** All tables of this service. Migrations after it only add, so that the release before them still works. */
export class ContactsBaseline1767000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const tables of [
      messagingTables,
      idempotencyKeysTable,
      projectCountsTable,
      workTables,
      contactsTables,
      listsTables,
      segmentsTables,
      eventsTables,
      importsTables,
      erasuresTables,
    ])
      await runner.query(tables);
  }

  async down(): Promise<void> {
    throw new Error('the baseline is not undone: drop the database');
  }
}
