import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A recount that fails is tried again later each time, and others have their turn meanwhile. */
export class SegmentRecounts1764500600200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE segments
        ADD COLUMN recount_asked boolean NOT NULL DEFAULT false,
        ADD COLUMN recount_tries integer NOT NULL DEFAULT 0,
        ADD COLUMN recount_after timestamptz(3)`);
    await runner.query(
      `COMMENT ON COLUMN segments.recount_asked IS 'its members are to be found anew whatever keeps them: its condition was reworded'`,
    );
    await runner.query(`COMMENT ON COLUMN segments.recount_tries IS 'since the last that came to its end'`);
    await runner.query(`DROP INDEX segments_by_schedule`);
    await runner.query(
      `CREATE INDEX segments_by_schedule ON segments (refreshed_at) WHERE upkeep = 'SCHEDULED' OR recount_asked`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX segments_by_schedule`);
    await runner.query(
      `CREATE INDEX segments_by_schedule ON segments (refreshed_at) WHERE upkeep = 'SCHEDULED'`,
    );
    await runner.query(
      `ALTER TABLE segments DROP COLUMN recount_asked, DROP COLUMN recount_tries, DROP COLUMN recount_after`,
    );
  }
}
