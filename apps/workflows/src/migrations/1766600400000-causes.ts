import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many executions led to each. */
export class Causes1766600400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE executions ADD COLUMN depth integer NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE executions DROP COLUMN depth`);
  }
}
