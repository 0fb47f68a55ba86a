import { createWorkTables } from '@posthorn/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is due stands in one queue: lists of addresses to suppress and the checks of domains move into it (docs/decisions/0019). */
export class SendingWork1764700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createWorkTables(runner);
    await this.moveImports(runner);
    await this.moveChecks(runner);
  }

  async down(): Promise<void> {
    throw new Error('what is due would be forgotten');
  }

  private async moveImports(runner: QueryRunner): Promise<void> {
    await runner.query(`
      INSERT INTO work_items (id, kind, project_id, key, state, due_at, exclusive)
      SELECT gen_random_uuid(), 'sending.suppression-imports', project_id, id::text, 'WAITING', created_at, true
      FROM suppression_imports WHERE finished_at IS NULL`);
    await runner.query(`DROP INDEX suppression_imports_open`);
    await runner.query(`ALTER TABLE suppression_imports DROP COLUMN taken_until`);
  }

  private async moveChecks(runner: QueryRunner): Promise<void> {
    await runner.query(`
      INSERT INTO work_items (id, kind, project_id, key, state, due_at)
      SELECT gen_random_uuid(), 'sending.domain-checks', project_id, id::text, 'WAITING', next_check_at
      FROM domains WHERE next_check_at IS NOT NULL`);
    await runner.query(`DROP INDEX domains_to_check`);
    await runner.query(`ALTER TABLE domains DROP COLUMN next_check_at`);
  }
}
