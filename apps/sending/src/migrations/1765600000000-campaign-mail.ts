import { campaignMailStates, emailCategories } from '@posthorn/contracts';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const oneOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** The mail of campaigns (docs/decisions/0028-campaigns.md). */
export class CampaignMail1765600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE emails ADD COLUMN campaign_id uuid, ADD COLUMN unsubscribed_at timestamptz(3)`,
    );
    await runner.query(
      `ALTER TABLE deliveries ADD COLUMN campaign_id uuid, ADD COLUMN quiet_from timestamptz(3), ADD COLUMN quiet_seconds integer`,
    );
    await runner.query(
      `CREATE INDEX erased_addresses_by_contact ON erased_addresses (project_id, contact_id)`,
    );
    await runner.query(`
      CREATE TABLE campaign_states (
        project_id uuid NOT NULL,
        campaign_id uuid NOT NULL,
        state text NOT NULL CHECK (state IN (${oneOf(campaignMailStates)})),
        seq bigint NOT NULL,
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, campaign_id)
      )`);
    await runner.query(`
      CREATE TABLE campaign_contents (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        campaign_id uuid NOT NULL,
        accepted_by text NOT NULL,
        from_email text NOT NULL,
        from_name text,
        category text NOT NULL CHECK (category IN (${oneOf(emailCategories)})),
        subject text NOT NULL,
        html text NOT NULL,
        reply_to jsonb,
        template_id uuid,
        template_version integer,
        liquid boolean NOT NULL,
        snippets jsonb,
        track_opens boolean NOT NULL,
        track_clicks boolean NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, id)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE campaign_contents`);
    await runner.query(`DROP TABLE campaign_states`);
    await runner.query(`DROP INDEX erased_addresses_by_contact`);
    await runner.query(
      `ALTER TABLE deliveries DROP COLUMN campaign_id, DROP COLUMN quiet_from, DROP COLUMN quiet_seconds`,
    );
    await runner.query(`ALTER TABLE emails DROP COLUMN campaign_id, DROP COLUMN unsubscribed_at`);
  }
}
