import { systemProjectId } from '@posthorn/contracts';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds the few mails of the system whose words are still there. */
export class SystemContents1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX email_contents_of_system ON email_contents (id)
      WHERE project_id = '${systemProjectId}' AND (html <> '' OR text IS NOT NULL)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX email_contents_of_system`);
  }
}
