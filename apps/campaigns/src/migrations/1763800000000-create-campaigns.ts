import { audienceTypes, campaignStatuses, emailCategories } from '@posthorn/contracts';
import { createIdempotencyKeys, createProjectCounts } from '@posthorn/database';
import { createMessagingTables } from '@posthorn/messaging';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const oneOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

export class CreateCampaigns1763800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createMessagingTables(runner);
    await createIdempotencyKeys(runner);
    await createProjectCounts(runner);
    await this.createCampaigns(runner);
  }

  async down(): Promise<void> {
    throw new Error('the first migration is not undone: drop the database');
  }

  private async createCampaigns(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE campaigns (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        name text NOT NULL,
        description text,
        subject text,
        body text,
        template_id uuid,
        from_email text,
        from_name text,
        reply_to text,
        email_category text NOT NULL CHECK (email_category IN (${oneOf(emailCategories)})),
        audience_type text NOT NULL CHECK (audience_type IN (${oneOf(audienceTypes)})),
        audience_condition jsonb CHECK (audience_type <> 'FILTERED' OR audience_condition IS NOT NULL),
        segment_id uuid CHECK (audience_type <> 'SEGMENT' OR segment_id IS NOT NULL),
        list_id uuid CHECK (audience_type <> 'LIST' OR list_id IS NOT NULL),
        status text NOT NULL CHECK (status IN (${oneOf(campaignStatuses)})),
        scheduled_at timestamptz(3),
        sent_at timestamptz(3),
        seq bigint NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, id)
      )`);
    await runner.query(
      `CREATE INDEX campaigns_by_creation ON campaigns (project_id, created_at DESC, id DESC)`,
    );
  }
}
