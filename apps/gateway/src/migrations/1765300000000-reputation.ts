import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What decides about the reputation of a project (docs/api-decisions.md §2). */
export class Reputation1765300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE reputation_hours (
        project_id uuid NOT NULL,
        hour timestamptz NOT NULL,
        sent bigint NOT NULL DEFAULT 0,
        bounced bigint NOT NULL DEFAULT 0,
        complained bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (project_id, hour)
      )`);
    await runner.query(
      `CREATE TABLE reputation_warnings (project_id uuid PRIMARY KEY, warned_at timestamptz(3) NOT NULL)`,
    );
    await runner.query(`ALTER TABLE projects ADD COLUMN enabled_at timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE projects DROP COLUMN enabled_at`);
    await runner.query(`DROP TABLE reputation_warnings, reputation_hours`);
  }
}
