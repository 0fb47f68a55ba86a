import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Upkeep takes turns among projects: whose contacts wait, and whose of one project waits longest, is asked of an index. */
export class SegmentTurns1764500600100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE segment_dirty DROP CONSTRAINT segment_dirty_pkey, ADD PRIMARY KEY (project_id, id)`,
    );
    await runner.query(`CREATE INDEX segment_due_of_project ON segment_due (project_id, due_at)`);
    await runner.query(`DROP INDEX segment_due_next`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX segment_due_next ON segment_due (due_at)`);
    await runner.query(`DROP INDEX segment_due_of_project`);
    await runner.query(`ALTER TABLE segment_dirty DROP CONSTRAINT segment_dirty_pkey, ADD PRIMARY KEY (id)`);
  }
}
