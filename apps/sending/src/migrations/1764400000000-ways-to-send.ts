import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Templates, copies, attachments, times and tracking of a send (decision 0014). Every column has a constant default: no table is written anew. */
export class WaysToSend1764400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE emails
        ADD COLUMN category text NOT NULL DEFAULT 'TRANSACTIONAL' CHECK (category IN ('TRANSACTIONAL', 'MARKETING')),
        ADD COLUMN copies jsonb,
        ADD COLUMN template_id uuid,
        ADD COLUMN scheduled_at timestamptz(3)`);
    await runner.query(`
      ALTER TABLE email_contents
        ADD COLUMN subject text,
        ADD COLUMN template_id uuid,
        ADD COLUMN template_version integer,
        ADD COLUMN liquid boolean NOT NULL DEFAULT false,
        ADD COLUMN data jsonb,
        ADD COLUMN snippets jsonb,
        ADD COLUMN track_opens boolean NOT NULL DEFAULT false,
        ADD COLUMN track_clicks boolean NOT NULL DEFAULT false,
        ADD COLUMN attachments jsonb`);
    await runner.query(`ALTER TABLE deliveries ADD COLUMN variables jsonb`);
    await runner.query(`
      CREATE TABLE email_attachments (
        project_id uuid NOT NULL,
        content_id uuid NOT NULL,
        position smallint NOT NULL,
        chunk smallint NOT NULL,
        data bytea NOT NULL,
        PRIMARY KEY (project_id, content_id, position, chunk)
      ) PARTITION BY RANGE (content_id)`);
    await runner.query(`CREATE TABLE email_attachments_default PARTITION OF email_attachments DEFAULT`);
    // Bytes that are compressed already.
    await runner.query(`ALTER TABLE email_attachments ALTER COLUMN data SET STORAGE EXTERNAL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE email_attachments`);
    await runner.query(`ALTER TABLE deliveries DROP COLUMN variables`);
    await runner.query(`
      ALTER TABLE email_contents DROP COLUMN subject, DROP COLUMN template_id, DROP COLUMN template_version, DROP COLUMN liquid, DROP COLUMN data, DROP COLUMN snippets,
        DROP COLUMN track_opens, DROP COLUMN track_clicks, DROP COLUMN attachments`);
    await runner.query(
      `ALTER TABLE emails DROP COLUMN category, DROP COLUMN copies, DROP COLUMN template_id, DROP COLUMN scheduled_at`,
    );
  }
}
