import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An import subscribes nobody who left here, unless it says so. */
export class ImportStatuses1766700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE imports ADD COLUMN IF NOT EXISTS resubscribe boolean NOT NULL DEFAULT false`,
    );
  }

  async down(): Promise<void> {
    throw new Error('nothing is taken away: the release before runs on these tables too');
  }
}
