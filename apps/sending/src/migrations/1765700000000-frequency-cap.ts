import { failureKinds } from '@posthorn/contracts';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often a contact gets marketing mail (docs/decisions/0029-frequency-cap.md). */
export class FrequencyCap1765700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE project_states ADD COLUMN cap_messages integer, ADD COLUMN cap_days integer`,
    );
    await runner.query(`
      CREATE TABLE marketing_hand_offs (
        project_id uuid NOT NULL,
        address_hash text COLLATE "C" NOT NULL,
        email_id uuid NOT NULL,
        at timestamptz(3) NOT NULL,
        PRIMARY KEY (project_id, address_hash, email_id)
      )`);
    await runner.query(`CREATE INDEX marketing_hand_offs_by_time ON marketing_hand_offs (at)`);
    // An installation has the list of the release that created it; what is stored satisfies any later one.
    await runner.query(`
      ALTER TABLE emails DROP CONSTRAINT IF EXISTS emails_failure_kind_check,
        ADD CONSTRAINT emails_failure_kind_check CHECK (failure_kind IN (${failureKinds.map((kind) => `'${kind}'`).join(', ')})) NOT VALID`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE marketing_hand_offs`);
    await runner.query(`ALTER TABLE project_states DROP COLUMN cap_messages, DROP COLUMN cap_days`);
  }
}
