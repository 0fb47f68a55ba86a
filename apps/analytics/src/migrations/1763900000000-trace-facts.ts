import { addEventTraces } from '@posthorn/messaging';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class TraceAnalyticsFacts1763900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await addEventTraces(runner);
  }

  async down(): Promise<void> {
    throw new Error('nothing is taken away: the release before runs on these tables too');
  }
}
