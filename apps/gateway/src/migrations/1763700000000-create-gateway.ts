import { disabledReasons, grantPresets } from '@posthorn/contracts';
import { createMessagingTables } from '@posthorn/messaging';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const oneOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

export class CreateGateway1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createMessagingTables(runner);
    await this.createProjects(runner);
    await this.createApiKeys(runner);
    await this.createRateWindows(runner);
  }

  async down(): Promise<void> {
    throw new Error('the first migration is not undone: drop the database');
  }

  private async createProjects(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE projects (
        id uuid PRIMARY KEY,
        name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
        disabled_reason text CHECK (disabled_reason IN (${oneOf(disabledReasons)})),
        sandbox_handle text NOT NULL UNIQUE,
        secret_per_second integer CHECK (secret_per_second > 0),
        public_per_second integer CHECK (public_per_second > 0),
        created_at timestamptz(3) NOT NULL,
        updated_at timestamptz(3) NOT NULL,
        seq bigint NOT NULL CHECK (seq > 0)
      )`);
    await runner.query(`CREATE INDEX projects_newest ON projects (created_at DESC, id DESC)`);
  }

  private async createApiKeys(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE api_keys (
        project_id uuid NOT NULL REFERENCES projects (id),
        id uuid NOT NULL,
        name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
        token_hash text NOT NULL UNIQUE CHECK (length(token_hash) = 64),
        last_four text NOT NULL CHECK (length(last_four) = 4),
        legacy_grant_preset text NOT NULL CHECK (legacy_grant_preset IN (${oneOf(grantPresets)})),
        mode text NOT NULL CHECK (mode IN ('LIVE', 'TEST')),
        scopes text[] NOT NULL,
        domain_id uuid,
        last_used_at timestamptz(3),
        created_at timestamptz(3) NOT NULL,
        revoked_at timestamptz(3),
        PRIMARY KEY (project_id, id)
      ) WITH (fillfactor = 80)`);
  }

  /** Lost in a crash, and no harm done: a window lasts one second. */
  private async createRateWindows(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE UNLOGGED TABLE rate_windows (
        key_id uuid PRIMARY KEY,
        second bigint NOT NULL,
        used bigint NOT NULL
      ) WITH (fillfactor = 50)`);
  }
}
