import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Those that there are were made under a lock that waited for every writer. */
export class SegmentWatches1764500600300 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE segment_watches ADD COLUMN settled boolean NOT NULL DEFAULT true`);
    await runner.query(`ALTER TABLE segment_watches ALTER COLUMN settled SET DEFAULT false`);
    await runner.query(
      `COMMENT ON COLUMN segment_watches.settled IS 'whoever wrote contacts without marking them has ended'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE segment_watches DROP COLUMN settled`);
  }
}
