import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The time zone of a project, and how often a contact gets its marketing mail. */
export class ProjectTimes1765700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE projects ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC', ADD COLUMN frequency_cap jsonb`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE projects DROP COLUMN time_zone, DROP COLUMN frequency_cap`);
  }
}
