import type { MigrationInterface, QueryRunner } from 'typeorm';

const thisMonth = `date_trunc('month', now() AT TIME ZONE 'UTC')::date`;

/** Limits and counts (docs/decisions/0026-allowances.md). `allowances` stays for the processes of the previous release. */
export class Allowances1765400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE project_usage (
        project_id uuid PRIMARY KEY,
        monthly_limit integer CHECK (monthly_limit >= 0),
        daily_limit integer CHECK (daily_limit >= 0),
        transactional_limit integer CHECK (transactional_limit >= 0),
        campaign_limit integer CHECK (campaign_limit >= 0),
        workflow_limit integer CHECK (workflow_limit >= 0),
        inbound_limit integer CHECK (inbound_limit >= 0),
        when_exhausted text NOT NULL DEFAULT 'FAIL' CHECK (when_exhausted IN ('FAIL', 'HOLD'))
      )`);
    await runner.query(`
      CREATE TABLE usage_counts (
        project_id uuid NOT NULL,
        shard smallint NOT NULL,
        month date NOT NULL DEFAULT date_trunc('month', now() AT TIME ZONE 'UTC')::date,
        transactional integer NOT NULL DEFAULT 0,
        campaign integer NOT NULL DEFAULT 0,
        workflow integer NOT NULL DEFAULT 0,
        inbound integer NOT NULL DEFAULT 0,
        day date NOT NULL DEFAULT (now() AT TIME ZONE 'UTC')::date,
        sent_today integer NOT NULL DEFAULT 0,
        PRIMARY KEY (project_id, shard)
      ) WITH (fillfactor = 50)`);
    await runner.query(`
      CREATE TABLE usage_warnings (
        project_id uuid PRIMARY KEY,
        warned jsonb NOT NULL
      )`);
    await runner.query(`
      CREATE INDEX project_usage_limited ON project_usage (project_id)
      WHERE num_nonnulls(monthly_limit, daily_limit, transactional_limit, campaign_limit, workflow_limit, inbound_limit) > 0`);
    await runner.query(`
      INSERT INTO project_usage (project_id, transactional_limit, campaign_limit)
      SELECT project_id, max(monthly) FILTER (WHERE category = 'TRANSACTIONAL'), max(monthly) FILTER (WHERE category = 'MARKETING')
      FROM allowances GROUP BY project_id`);
    await runner.query(`
      INSERT INTO usage_counts (project_id, shard, transactional, campaign)
      SELECT project_id, 0, coalesce(max(used) FILTER (WHERE category = 'TRANSACTIONAL'), 0), coalesce(max(used) FILTER (WHERE category = 'MARKETING'), 0)
      FROM allowances WHERE month = ${thisMonth} GROUP BY project_id`);
    await runner.query(`
      ALTER TABLE deliveries ADD COLUMN counted boolean NOT NULL DEFAULT false, ADD COLUMN waits_for_next_period boolean NOT NULL DEFAULT false`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE deliveries DROP COLUMN counted, DROP COLUMN waits_for_next_period`);
    await runner.query(`DROP TABLE usage_counts`);
    await runner.query(`DROP TABLE usage_warnings`);
    await runner.query(`DROP TABLE project_usage`);
  }
}
