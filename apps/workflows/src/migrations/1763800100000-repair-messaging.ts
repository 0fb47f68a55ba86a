import { addMessagingRepair } from '@posthorn/messaging';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class RepairWorkflowsMessaging1763800100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await addMessagingRepair(runner);
  }

  async down(): Promise<void> {
    throw new Error('nothing is taken away: the release before runs on these tables too');
  }
}
