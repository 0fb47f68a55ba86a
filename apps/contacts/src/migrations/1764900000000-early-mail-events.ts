import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Mail events may overtake the event that creates their contact. */
export class EarlyMailEvents1764900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE early_mail_events (
        project_id uuid NOT NULL,
        email text NOT NULL,
        kind text COLLATE "C" NOT NULL,
        count bigint NOT NULL,
        first_at timestamptz(3) NOT NULL,
        last_at timestamptz(3) NOT NULL,
        received_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, email, kind)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE early_mail_events`);
  }
}
