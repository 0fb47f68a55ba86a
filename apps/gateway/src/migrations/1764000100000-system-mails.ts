import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mail of Posthorn itself, from its cause's commit until sending has taken it. */
export class SystemMails1764000100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE system_mails (
        id uuid PRIMARY KEY,
        sealed text NOT NULL,
        tries integer NOT NULL DEFAULT 0,
        next_try_at timestamptz NOT NULL DEFAULT now(),
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX system_mails_due ON system_mails (next_try_at)`);
  }

  async down(): Promise<void> {
    throw new Error('mail that waits is not taken out again: restore the database');
  }
}
