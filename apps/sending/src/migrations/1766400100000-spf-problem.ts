import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why the SPF record of a domain does not let its mail pass. */
export class SpfProblem1766400100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE domains ADD COLUMN spf_problem text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE domains DROP COLUMN spf_problem`);
  }
}
