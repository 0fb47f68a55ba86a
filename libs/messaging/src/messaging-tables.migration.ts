import type { QueryRunner } from 'typeorm';

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

export async function addMessagingRepair(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE fact_streams (
      name text PRIMARY KEY,
      generation bigint NOT NULL,
      incarnation text NOT NULL,
      last_sequence bigint NOT NULL
    ) WITH (fillfactor = 50)`);
  await runner.query(`
    CREATE TABLE fact_repeats (
      name text PRIMARY KEY,
      id uuid NOT NULL,
      since timestamptz(3) NOT NULL,
      until timestamptz(3) NOT NULL,
      after uuid NOT NULL
    )`);
  await runner.query(`
    CREATE TABLE fact_tries (
      subscriber text NOT NULL,
      fact_id uuid NOT NULL,
      tries integer NOT NULL,
      running boolean NOT NULL,
      first_at timestamptz(3) NOT NULL DEFAULT now(),
      at timestamptz(3) NOT NULL DEFAULT now(),
      PRIMARY KEY (subscriber, fact_id)
    )`);
  await runner.query(`
    CREATE TABLE read_models (
      name text PRIMARY KEY,
      rebuilt_at timestamptz(3),
      stale_at timestamptz(3)
    )`);
  await runner.query(`
    ALTER TABLE dead_letters
      ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
      ADD COLUMN attempts integer NOT NULL DEFAULT 1,
      ADD COLUMN first_at timestamptz(3) NOT NULL DEFAULT now()`);
  await runner.query(`CREATE UNIQUE INDEX dead_letters_by_id ON dead_letters (id)`);
  // Rows arrive in the order of time, for which BRIN is the smallest index.
  await runner.query(`CREATE INDEX inbox_by_age ON inbox USING brin (received_at)`);
}

export async function addEventTraces(runner: QueryRunner): Promise<void> {
  await runner.query(`ALTER TABLE outbox ADD COLUMN traces text`);
}

export async function addEventActors(runner: QueryRunner): Promise<void> {
  await runner.query(`ALTER TABLE outbox ADD COLUMN actor jsonb, ADD COLUMN address text`);
}

export async function addOutboxQuarantine(runner: QueryRunner): Promise<void> {
  await runner.query(`
    ALTER TABLE outbox
      ADD COLUMN refusals smallint NOT NULL DEFAULT 0,
      ADD COLUMN quarantined_at timestamptz(3),
      ADD COLUMN quarantine_reason text`);
}
