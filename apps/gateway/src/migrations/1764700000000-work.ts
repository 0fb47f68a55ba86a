import { noProject } from '@posthorn/contracts';
import { createWorkTables } from '@posthorn/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is due stands in one queue: system mails and the ends of reveals move into it (docs/decisions/0019). */
export class GatewayWork1764700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createWorkTables(runner);
    await runner.query(`
      INSERT INTO work_items (id, kind, project_id, key, state, due_at, created_at)
      SELECT gen_random_uuid(), 'gateway.system-mails', '${noProject}', id::text, 'WAITING', next_try_at, created_at FROM system_mails`);
    await runner.query(`DROP INDEX system_mails_due`);
    await runner.query(`ALTER TABLE system_mails DROP COLUMN tries, DROP COLUMN next_try_at`);
    await runner.query(`
      INSERT INTO work_items (id, kind, project_id, key, state, due_at)
      SELECT gen_random_uuid(), 'gateway.reveal-purges', project_id, key_id::text, 'WAITING', expires_at FROM api_key_reveals`);
    await runner.query(`DROP INDEX api_key_reveals_expiry`);
  }

  async down(): Promise<void> {
    throw new Error('what is due would be forgotten');
  }
}
