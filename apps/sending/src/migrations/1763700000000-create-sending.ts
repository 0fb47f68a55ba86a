import { emailStatuses, failureKinds, suppressionReasons } from '@posthorn/contracts';
import { createIdempotencyKeys } from '@posthorn/database';
import { createMessagingTables } from '@posthorn/messaging';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const oneOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

export class CreateSending1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createMessagingTables(runner);
    await this.createEmails(runner);
    await this.createContentsAndEvents(runner);
    await this.createDeliveries(runner);
    await createIdempotencyKeys(runner);
    await this.createSenders(runner);
  }

  async down(): Promise<void> {
    throw new Error('the first migration is not undone: drop the database');
  }

  /** VOIDED is a tombstone: it holds the id of a send whose caller was told that it failed (docs/guarantees.md G2). */
  private async createEmails(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE emails (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        content_id uuid NOT NULL,
        contact_id uuid,
        from_email text NOT NULL,
        from_name text,
        to_email text NOT NULL,
        to_name text,
        subject text NOT NULL,
        status text NOT NULL CHECK (status IN (${oneOf(emailStatuses)}, 'VOIDED')),
        failure_kind text CHECK (failure_kind IN (${oneOf(failureKinds)})),
        error text,
        source_type text NOT NULL DEFAULT 'TRANSACTIONAL' CHECK (source_type IN ('TRANSACTIONAL', 'CAMPAIGN', 'WORKFLOW', 'INBOUND')),
        tags text[] NOT NULL DEFAULT '{}',
        metadata jsonb NOT NULL DEFAULT '{}',
        opens integer NOT NULL DEFAULT 0,
        clicks integer NOT NULL DEFAULT 0,
        sent_at timestamptz(3),
        delivered_at timestamptz(3),
        bounced_at timestamptz(3),
        opened_at timestamptz(3),
        clicked_at timestamptz(3),
        complained_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, id)
      ) PARTITION BY RANGE (id)`);
    await runner.query(`CREATE TABLE emails_default PARTITION OF emails DEFAULT`);
    await runner.query(`CREATE INDEX emails_by_creation ON emails (project_id, created_at DESC, id DESC)`);
    await runner.query(
      `CREATE INDEX emails_by_recipient ON emails (project_id, to_email, created_at DESC, id DESC)`,
    );
    await runner.query(`CREATE INDEX emails_by_rare_status ON emails (project_id, status, created_at DESC, id DESC)
      WHERE status NOT IN ('PENDING', 'SENT', 'DELIVERED')`);
    await runner.query(`CREATE INDEX emails_by_tag ON emails USING gin (tags) WHERE tags <> '{}'`);
  }

  private async createContentsAndEvents(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE email_contents (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        html text NOT NULL,
        text text,
        reply_to jsonb,
        headers jsonb,
        PRIMARY KEY (project_id, id)
      ) PARTITION BY RANGE (id)`);
    await runner.query(`CREATE TABLE email_contents_default PARTITION OF email_contents DEFAULT`);
    await runner.query(`
      CREATE TABLE email_events (
        project_id uuid NOT NULL,
        email_id uuid NOT NULL,
        id uuid NOT NULL,
        status text NOT NULL CHECK (status IN (${oneOf(emailStatuses)})),
        recipient text NOT NULL,
        at timestamptz(3) NOT NULL DEFAULT now(),
        detail text,
        attempt smallint,
        stage text,
        host text,
        tls boolean,
        reply_code smallint,
        duration_ms integer,
        PRIMARY KEY (project_id, email_id, id)
      ) PARTITION BY RANGE (email_id)`);
    await runner.query(`CREATE TABLE email_events_default PARTITION OF email_events DEFAULT`);
  }

  private async createDeliveries(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE deliveries (
        project_id uuid NOT NULL,
        email_id uuid NOT NULL,
        position smallint NOT NULL DEFAULT 0,
        recipient text NOT NULL,
        lane smallint NOT NULL CHECK (lane IN (0, 1)),
        state text NOT NULL CHECK (state IN ('QUEUED', 'CLAIMED', 'HANDOFF', 'AMBIGUOUS', 'SENT', 'BOUNCED', 'FAILED', 'CANCELLED')),
        due_at timestamptz(3) NOT NULL DEFAULT now(),
        expires_at timestamptz(3) NOT NULL,
        attempts smallint NOT NULL DEFAULT 0,
        lease_token bigint NOT NULL DEFAULT 0,
        worker_id uuid,
        bytes integer NOT NULL,
        PRIMARY KEY (project_id, email_id, position)
      ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000)`);
    await runner.query(
      `CREATE INDEX deliveries_queued ON deliveries (lane, project_id, due_at) WHERE state = 'QUEUED'`,
    );
    // By worker; unrelated to the state HELD.
    await runner.query(
      `CREATE INDEX deliveries_held ON deliveries (worker_id) WHERE state IN ('CLAIMED', 'HANDOFF')`,
    );
    await runner.query(`CREATE INDEX deliveries_ambiguous ON deliveries (due_at) WHERE state = 'AMBIGUOUS'`);
    await runner.query(`
      CREATE TABLE workers (
        id uuid PRIMARY KEY,
        expires_at timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE pace (
        provider text PRIMARY KEY,
        next_at timestamptz NOT NULL
      )`);
  }

  private async createSenders(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE domains (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        domain text NOT NULL UNIQUE,
        verified boolean NOT NULL,
        is_default boolean NOT NULL DEFAULT false,
        default_from_address text,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, id)
      )`);
    await runner.query(`CREATE UNIQUE INDEX domains_default ON domains (project_id) WHERE is_default`);
    await runner.query(`
      CREATE TABLE suppressions (
        project_id uuid NOT NULL,
        email text NOT NULL,
        reason text NOT NULL CHECK (reason IN (${oneOf(suppressionReasons)})),
        source text NOT NULL CHECK (source IN ('API', 'DASHBOARD', 'PROVIDER')),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, email)
      )`);
    await runner.query(`
      CREATE TABLE allowances (
        project_id uuid NOT NULL,
        category text NOT NULL CHECK (category IN ('TRANSACTIONAL', 'MARKETING')),
        monthly integer NOT NULL CHECK (monthly >= 0),
        month date NOT NULL,
        used integer NOT NULL DEFAULT 0,
        PRIMARY KEY (project_id, category)
      )`);
    await runner.query(`
      CREATE TABLE project_states (
        project_id uuid PRIMARY KEY,
        disabled boolean NOT NULL,
        seq bigint NOT NULL
      )`);
  }
}
