import { contactHistoryKinds } from '@posthorn/contracts';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How memberships changed, and when contacts came into tracked segments and left them: rows that nobody changes, by the week of their UUIDv7, whose instant is
 * theirs.
 */
export class ContactHistory1764500400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE contact_history (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        contact_id uuid NOT NULL,
        kind text COLLATE "C" NOT NULL CHECK (kind IN (${contactHistoryKinds.map((kind) => `'${kind}'`).join(', ')})),
        subject_id uuid NOT NULL,
        PRIMARY KEY (project_id, id)
      ) PARTITION BY RANGE (id)`);
    await runner.query(
      `CREATE INDEX contact_history_of_contact ON contact_history (project_id, contact_id, id)`,
    );
    await runner.query(
      `COMMENT ON COLUMN contact_history.subject_id IS 'the list or the segment, by its kind'`,
    );
  }

  async down(): Promise<void> {
    throw new Error('what happened to contacts would be lost');
  }
}
