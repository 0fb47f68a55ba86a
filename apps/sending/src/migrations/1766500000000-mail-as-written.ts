import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The display name of a sender as Liquid; the list of a campaign, which its links leave; what dates and the end of marketing mail take from the project. */
export class MailAsWritten1766500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE email_contents ADD COLUMN from_name text, ADD COLUMN list_id uuid`);
    await runner.query(`ALTER TABLE campaign_contents ADD COLUMN list_id uuid`);
    await runner.query(
      `ALTER TABLE project_states ADD COLUMN time_zone text, ADD COLUMN postal_address text`,
    );
    // The next snapshot has them.
    await runner.query(`UPDATE read_models SET stale_at = now() WHERE name = 'project_states'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE email_contents DROP COLUMN from_name, DROP COLUMN list_id`);
    await runner.query(`ALTER TABLE campaign_contents DROP COLUMN list_id`);
    await runner.query(`ALTER TABLE project_states DROP COLUMN time_zone, DROP COLUMN postal_address`);
  }
}
