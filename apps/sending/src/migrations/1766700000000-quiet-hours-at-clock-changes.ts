import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Quiet hours are those of the clock on the wall, also after it changes. */
export class QuietHoursAtClockChanges1766700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE deliveries ADD COLUMN IF NOT EXISTS quiet_shift_at timestamptz(3), ADD COLUMN IF NOT EXISTS quiet_shift_seconds integer`,
    );
  }

  async down(): Promise<void> {
    throw new Error('nothing is taken away: the release before runs on these tables too');
  }
}
