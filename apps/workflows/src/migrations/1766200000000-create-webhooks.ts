import { callStatuses, webhookStatuses } from '@posthorn/contracts';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const oneOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** Subscriptions, their calls and attempts (docs/decisions/0031-webhooks.md). */
export class CreateWebhooks1766200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE webhooks (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        url text NOT NULL,
        description text,
        event_types text[] NOT NULL,
        status text NOT NULL CHECK (status IN (${oneOf(webhookStatuses)})),
        disabled_reason text,
        secret text NOT NULL,
        previous_secret text,
        previous_until timestamptz,
        failures_in_row integer NOT NULL DEFAULT 0,
        failing_since timestamptz,
        last_success_at timestamptz(3),
        seq bigint NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, id)
      )`);
    await runner.query(`CREATE INDEX webhooks_by_creation ON webhooks (project_id, created_at DESC, id DESC)`);
    await runner.query(`
      CREATE TABLE webhook_calls (
        project_id uuid NOT NULL,
        webhook_id uuid NOT NULL,
        id uuid NOT NULL,
        event_id uuid NOT NULL,
        event_type text NOT NULL,
        contact_id uuid,
        body text NOT NULL,
        status text NOT NULL CHECK (status IN (${oneOf(callStatuses)})),
        attempts integer NOT NULL DEFAULT 0,
        due_at timestamptz,
        response_status integer,
        response_body text,
        error text,
        duration_ms integer,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        ended_at timestamptz(3),
        PRIMARY KEY (project_id, webhook_id, id),
        UNIQUE (project_id, webhook_id, event_id),
        FOREIGN KEY (project_id, webhook_id) REFERENCES webhooks ON DELETE CASCADE,
        CHECK ((status = 'PENDING') = (due_at IS NOT NULL))
      )`);
    await runner.query(
      `CREATE INDEX webhook_calls_due ON webhook_calls (project_id, webhook_id, due_at, id) WHERE status = 'PENDING'`,
    );
    await runner.query(
      `CREATE INDEX webhook_calls_by_creation ON webhook_calls (project_id, webhook_id, created_at DESC, id DESC)`,
    );
    await runner.query(
      `CREATE INDEX webhook_calls_by_contact ON webhook_calls (project_id, contact_id) WHERE contact_id IS NOT NULL`,
    );
    await runner.query(`
      CREATE TABLE webhook_attempts (
        project_id uuid NOT NULL,
        webhook_id uuid NOT NULL,
        call_id uuid NOT NULL,
        attempt integer NOT NULL,
        at timestamptz(3) NOT NULL DEFAULT now(),
        response_status integer,
        response_body text,
        error text,
        duration_ms integer NOT NULL,
        PRIMARY KEY (project_id, webhook_id, call_id, attempt),
        FOREIGN KEY (project_id, webhook_id, call_id) REFERENCES webhook_calls ON DELETE CASCADE
      )`);
  }

  async down(): Promise<void> {
    throw new Error('what was sent to whom would be forgotten');
  }
}
