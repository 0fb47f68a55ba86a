import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Of a graph that nobody went through nothing needs to be kept once it is replaced. */
export class RetentionOfExecutions1766600500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX workflow_versions_by_age ON workflow_versions (created_at)`);
    // Of the versions from before it is not known.
    await runner.query(`ALTER TABLE workflow_versions ADD COLUMN was_entered boolean NOT NULL DEFAULT true`);
    await runner.query(`ALTER TABLE workflow_versions ALTER COLUMN was_entered SET DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE workflow_versions DROP COLUMN was_entered`);
    await runner.query(`DROP INDEX workflow_versions_by_age`);
  }
}
