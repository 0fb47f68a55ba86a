import { addEventTraces } from '@posthorn/messaging';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class TraceSendingFacts1763900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await addEventTraces(runner);
    // Where the hand-over of a message is recorded, long after its request.
    await runner.query(`ALTER TABLE deliveries ADD COLUMN trace text`);
  }

  async down(): Promise<void> {
    throw new Error('nothing is taken away: the release before runs on these tables too');
  }
}
