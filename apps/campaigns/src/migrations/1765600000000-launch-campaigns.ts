import { pauseReasons, recipientOutcomes, winnerDecisions } from '@posthorn/contracts';
import { createWorkTables } from '@posthorn/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const oneOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** Launches, their ledger and its counts (docs/decisions/0028-campaigns.md). */
export class LaunchCampaigns1765600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createWorkTables(runner);
    await runner.query(`
      ALTER TABLE campaigns
        ADD COLUMN exclude_segment_ids uuid[] NOT NULL DEFAULT '{}',
        ADD COLUMN exclude_list_ids uuid[] NOT NULL DEFAULT '{}',
        ADD COLUMN topic_id uuid,
        ADD COLUMN send_rate integer CHECK (send_rate > 0),
        ADD COLUMN variants jsonb,
        ADD COLUMN test jsonb,
        ADD COLUMN timing jsonb,
        ADD COLUMN resend_of_id uuid,
        ADD COLUMN scheduled_from text,
        ADD COLUMN paused_reason text CHECK (paused_reason IN (${oneOf(pauseReasons)}))`);
    await runner.query(`CREATE SEQUENCE campaign_mail_states`);
    await runner.query(`
      CREATE TABLE erased_contacts (
        project_id uuid NOT NULL,
        contact_id uuid NOT NULL,
        erased_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, contact_id)
      )`);
    await runner.query(
      `CREATE INDEX campaigns_by_sending ON campaigns (project_id, sent_at) WHERE sent_at IS NOT NULL`,
    );
    await this.createLaunches(runner);
    await this.createLedger(runner);
  }

  async down(): Promise<void> {
    throw new Error('who got which campaign would be forgotten');
  }

  private async createLaunches(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE launches (
        project_id uuid NOT NULL,
        campaign_id uuid NOT NULL,
        content_id uuid NOT NULL,
        variant_contents uuid[] NOT NULL DEFAULT '{}',
        winner smallint,
        decided_by text CHECK (decided_by IN (${oneOf(winnerDecisions)})),
        subject text NOT NULL,
        from_email text NOT NULL,
        tracks_opens boolean NOT NULL DEFAULT true,
        launched_at timestamptz(3) NOT NULL DEFAULT now(),
        frozen_to uuid,
        is_frozen boolean NOT NULL DEFAULT false,
        next_due_at timestamptz,
        archive_id uuid,
        database_identity text NOT NULL DEFAULT '',
        moved_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, campaign_id)
      ) WITH (fillfactor = 50)`);
    await runner.query(
      `CREATE UNIQUE INDEX launches_archived ON launches (project_id, archive_id) WHERE archive_id IS NOT NULL`,
    );
  }

  private async createLedger(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE recipients (
        project_id uuid NOT NULL,
        campaign_id uuid NOT NULL,
        contact_id uuid NOT NULL,
        email_id uuid NOT NULL,
        email text COLLATE "C" NOT NULL,
        outcome text COLLATE "C" NOT NULL CHECK (outcome IN (${oneOf(recipientOutcomes)})),
        reason text COLLATE "C",
        handed_over boolean NOT NULL DEFAULT false,
        variant smallint,
        waits_for_winner boolean NOT NULL DEFAULT false,
        due_at timestamptz(3),
        time_zone text,
        reported smallint NOT NULL DEFAULT 0,
        at timestamptz(3),
        PRIMARY KEY (project_id, campaign_id, contact_id)
      ) WITH (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000)`);
    await this.indexLedger(runner);
    await this.createCounts(runner);
  }

  private async indexLedger(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE UNIQUE INDEX recipients_by_email ON recipients (project_id, campaign_id, email_id)`,
    );
    await runner.query(
      `CREATE INDEX recipients_queued ON recipients (project_id, campaign_id, waits_for_winner, email_id) WHERE outcome = 'QUEUED' AND NOT handed_over`,
    );
    await runner.query(
      `CREATE INDEX recipients_in_hand ON recipients (project_id, campaign_id, email_id) WHERE outcome = 'QUEUED' AND handed_over`,
    );
    await runner.query(
      `CREATE INDEX recipients_due ON recipients (project_id, campaign_id, waits_for_winner, due_at, email_id)
       WHERE outcome = 'QUEUED' AND NOT handed_over AND due_at IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX recipients_by_outcome ON recipients (project_id, campaign_id, outcome, email_id)`,
    );
    await runner.query(
      `CREATE INDEX recipients_by_reason ON recipients (project_id, campaign_id, reason, email_id) WHERE reason IS NOT NULL`,
    );
  }

  private async createCounts(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE variant_counts (
        project_id uuid NOT NULL,
        campaign_id uuid NOT NULL,
        variant smallint NOT NULL,
        recipients integer NOT NULL DEFAULT 0,
        sent integer NOT NULL DEFAULT 0,
        opened integer NOT NULL DEFAULT 0,
        clicked integer NOT NULL DEFAULT 0,
        PRIMARY KEY (project_id, campaign_id, variant)
      ) WITH (fillfactor = 50)`);
    await runner.query(`
      CREATE TABLE campaign_counts (
        project_id uuid NOT NULL,
        campaign_id uuid NOT NULL,
        total integer NOT NULL DEFAULT 0,
        in_hand integer NOT NULL DEFAULT 0,
        sent integer NOT NULL DEFAULT 0,
        skipped integer NOT NULL DEFAULT 0,
        failed integer NOT NULL DEFAULT 0,
        delivered integer NOT NULL DEFAULT 0,
        opened integer NOT NULL DEFAULT 0,
        clicked integer NOT NULL DEFAULT 0,
        bounced integer NOT NULL DEFAULT 0,
        complained integer NOT NULL DEFAULT 0,
        unsubscribed integer NOT NULL DEFAULT 0,
        PRIMARY KEY (project_id, campaign_id)
      ) WITH (fillfactor = 50)`);
  }
}
