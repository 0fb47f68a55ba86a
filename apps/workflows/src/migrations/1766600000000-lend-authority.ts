import type { MigrationInterface, QueryRunner } from 'typeorm';

/** In whose name a version acts (docs/decisions/0036-lent-authority.md). Null: it was enabled before, and acts for the project. */
export class LendAuthority1766600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE workflow_versions ADD COLUMN lender jsonb`);
    await runner.query(`ALTER TABLE executions ADD COLUMN starter jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE executions DROP COLUMN starter`);
    await runner.query(`ALTER TABLE workflow_versions DROP COLUMN lender`);
  }
}
