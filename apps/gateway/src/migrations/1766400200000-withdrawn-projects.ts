import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Looked up by every gateway twice a second while links are followed. */
export class WithdrawnProjects1766400200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX projects_withdrawn ON projects (id) WHERE disabled_reason = 'PHISHING_DETECTED'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX projects_withdrawn`);
  }
}
