import type { MigrationInterface, QueryRunner } from 'typeorm';

const states = [
  'QUEUED',
  'HELD',
  'CLAIMED',
  'HANDOFF',
  'AMBIGUOUS',
  'SENT',
  'BOUNCED',
  'FAILED',
  'CANCELLED',
];

/** Counts resends after an unknown outcome, and holds overdue mail after an outage (docs/decisions/0021-overdue-mail.md). */
export class HoldOverdueMail1764800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE deliveries ADD COLUMN resends smallint NOT NULL DEFAULT 0`);
    // Not validated here, because the scan would block writes; every stored state is in the longer list, too.
    await runner.query(`ALTER TABLE deliveries DROP CONSTRAINT deliveries_state_check,
      ADD CONSTRAINT deliveries_state_check CHECK (state IN (${states.map((state) => `'${state}'`).join(', ')})) NOT VALID`);
    await runner.query(`
      CREATE TABLE installation (
        singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
        epoch text NOT NULL,
        alive_at timestamptz(3) NOT NULL DEFAULT now(),
        hold_before timestamptz(3)
      )`);
  }

  async down(): Promise<void> {
    throw new Error('held mail would be sent');
  }
}
