import { createWorkTables } from '@posthorn/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is due stands in one queue: imports, erasures and the upkeep of segments move into it (docs/decisions/0019). */
export class ContactsWork1764700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createWorkTables(runner);
    await this.moveImports(runner);
    await this.moveErasures(runner);
    await this.moveSegments(runner);
    await this.moveDeletedLists(runner);
  }

  async down(): Promise<void> {
    throw new Error('what is due would be forgotten');
  }

  private async moveImports(runner: QueryRunner): Promise<void> {
    await runner.query(`
      INSERT INTO work_items (id, kind, project_id, key, state, due_at, exclusive)
      SELECT gen_random_uuid(), 'contacts.imports', project_id, id::text, 'WAITING',
        CASE WHEN status = 'UPLOADING' THEN now() + interval '2 minutes' ELSE created_at END, true
      FROM imports WHERE finished_at IS NULL`);
    await runner.query(`
      INSERT INTO work_items (id, kind, project_id, key, state)
      SELECT gen_random_uuid(), 'contacts.import-purges', project_id, id::text, 'READY' FROM imports WHERE finished_at IS NOT NULL AND pieces > 0`);
    await runner.query(`DROP INDEX imports_open, imports_over`);
    await runner.query(
      `ALTER TABLE imports DROP COLUMN taken_until, DROP COLUMN turn_at, DROP COLUMN lease_token`,
    );
    await runner.query(
      `CREATE INDEX imports_open ON imports (project_id, created_at) WHERE finished_at IS NULL OR pieces > 0`,
    );
  }

  private async moveErasures(runner: QueryRunner): Promise<void> {
    await runner.query(`
      INSERT INTO work_items (id, kind, project_id, key, state)
      SELECT gen_random_uuid(), 'contacts.erasures', project_id, id::text, 'READY' FROM erasures WHERE completed_at IS NULL`);
    await runner.query(`DROP INDEX erasures_due`);
    await runner.query(`ALTER TABLE erasures DROP COLUMN tries, DROP COLUMN due_at`);
  }

  private async moveSegments(runner: QueryRunner): Promise<void> {
    await runner.query(`
      INSERT INTO work_items (id, kind, project_id, key, state, exclusive)
      SELECT gen_random_uuid(), 'contacts.segment-upkeep', project_id, 'time', 'READY', true FROM segment_watches`);
    await runner.query(`
      INSERT INTO work_items (id, kind, project_id, key, state, payload)
      SELECT gen_random_uuid(), 'contacts.segment-refreshes', project_id, id::text, 'READY', jsonb_build_object('requested', recount_asked)
      FROM segments WHERE upkeep = 'SCHEDULED' OR recount_asked`);
    await runner.query(`DROP INDEX segments_by_schedule`);
    await runner.query(
      `ALTER TABLE segments DROP COLUMN recount_asked, DROP COLUMN recount_tries, DROP COLUMN recount_after`,
    );
  }

  private async moveDeletedLists(runner: QueryRunner): Promise<void> {
    await runner.query(`
      INSERT INTO work_items (id, kind, project_id, key, state)
      SELECT gen_random_uuid(), 'contacts.deleted-lists', project_id, id::text, 'READY' FROM deleted_lists`);
    await runner.query(`DROP TABLE deleted_lists`);
  }
}
