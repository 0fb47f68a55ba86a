import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What providers report after the hand-off (docs/decisions/0025-provider-events.md). */
export class ProviderEvents1764900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE deliveries ADD COLUMN reported smallint NOT NULL DEFAULT 0`);
    await runner.query(`ALTER TABLE emails ADD COLUMN provider_message_id text, ADD COLUMN accepted_by text`);
    await runner.query(`ALTER TABLE email_events ADD COLUMN kind text, ADD COLUMN source text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE email_events DROP COLUMN kind, DROP COLUMN source`);
    await runner.query(`ALTER TABLE emails DROP COLUMN provider_message_id, DROP COLUMN accepted_by`);
    await runner.query(`ALTER TABLE deliveries DROP COLUMN reported`);
  }
}
