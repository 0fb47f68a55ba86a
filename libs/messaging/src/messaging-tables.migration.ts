import type { QueryRunner } from 'typeorm';

/** The tables that every service with facts has; called by each service's first migration. */
export async function createMessagingTables(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE outbox (
      id uuid PRIMARY KEY,
      project_id uuid NOT NULL,
      fact text NOT NULL,
      items jsonb NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      published_at timestamptz(3)
    ) PARTITION BY RANGE (id)`);
  await runner.query(`CREATE TABLE outbox_default PARTITION OF outbox DEFAULT`);
  await runner.query(`CREATE INDEX outbox_unpublished ON outbox (id) WHERE published_at IS NULL`);
  await runner.query(`
    CREATE TABLE inbox (
      subscriber text NOT NULL,
      fact_id uuid NOT NULL,
      received_at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (subscriber, fact_id)
    )`);
  await runner.query(`
    CREATE TABLE dead_letters (
      subscriber text NOT NULL,
      fact_id uuid NOT NULL,
      fact text NOT NULL,
      payload jsonb NOT NULL,
      error text NOT NULL,
      at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (subscriber, fact_id)
    )`);
}
