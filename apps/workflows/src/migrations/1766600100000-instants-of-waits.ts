import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the event happened that ended a wait: a wait that follows counts events from then, but for those. */
export class InstantsOfWaits1766600100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE execution_waits ADD COLUMN met_at timestamptz, ADD COLUMN led_by jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE execution_waits DROP COLUMN met_at, DROP COLUMN led_by`);
  }
}
