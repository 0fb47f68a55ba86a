import { memberRoles } from '@posthorn/contracts';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const oneOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** People, their sessions and their memberships. The columns of `auth_*` bear the names of the library that writes them. */
export class People1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createUsers(runner);
    await this.createSessions(runner);
    await this.createProofs(runner);
    await this.createMembers(runner);
  }

  async down(): Promise<void> {
    throw new Error('people are not taken out again: restore the database');
  }

  private async createUsers(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE auth_users (
        id uuid PRIMARY KEY,
        name text NOT NULL,
        email text NOT NULL UNIQUE CHECK (email = lower(email)),
        "emailVerified" boolean NOT NULL,
        image text,
        "twoFactorEnabled" boolean,
        "createdAt" timestamptz NOT NULL DEFAULT now(),
        "updatedAt" timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE auth_accounts (
        id uuid PRIMARY KEY,
        "accountId" text NOT NULL,
        "providerId" text NOT NULL,
        "userId" uuid NOT NULL REFERENCES auth_users (id) ON DELETE CASCADE,
        "accessToken" text,
        "refreshToken" text,
        "idToken" text,
        "accessTokenExpiresAt" timestamptz,
        "refreshTokenExpiresAt" timestamptz,
        scope text,
        password text,
        "createdAt" timestamptz NOT NULL DEFAULT now(),
        "updatedAt" timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX auth_accounts_user ON auth_accounts ("userId")`);
  }

  /** `token` holds the hash of the cookie's token, never the token. */
  private async createSessions(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE auth_sessions (
        id uuid PRIMARY KEY,
        token text NOT NULL UNIQUE,
        "userId" uuid NOT NULL REFERENCES auth_users (id) ON DELETE CASCADE,
        "expiresAt" timestamptz NOT NULL,
        "ipAddress" text,
        "userAgent" text,
        "createdAt" timestamptz NOT NULL DEFAULT now(),
        "updatedAt" timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX auth_sessions_user ON auth_sessions ("userId")`);
  }

  private async createProofs(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE auth_verifications (
        id uuid PRIMARY KEY,
        identifier text NOT NULL,
        value text NOT NULL,
        "expiresAt" timestamptz NOT NULL,
        "createdAt" timestamptz NOT NULL DEFAULT now(),
        "updatedAt" timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX auth_verifications_identifier ON auth_verifications (identifier)`);
    await runner.query(`
      CREATE TABLE auth_two_factors (
        id uuid PRIMARY KEY,
        secret text NOT NULL,
        "backupCodes" text NOT NULL,
        "userId" uuid NOT NULL REFERENCES auth_users (id) ON DELETE CASCADE,
        verified boolean,
        "failedVerificationCount" integer,
        "lockedUntil" timestamptz
      )`);
    await runner.query(`CREATE INDEX auth_two_factors_user ON auth_two_factors ("userId")`);
    // Lost in a crash, and no harm done: its windows last a minute.
    await runner.query(`
      CREATE UNLOGGED TABLE auth_rate_limits (
        id uuid PRIMARY KEY,
        key text NOT NULL UNIQUE,
        count integer NOT NULL,
        "lastRequest" bigint NOT NULL
      )`);
  }

  private async createMembers(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE members (
        project_id uuid NOT NULL REFERENCES projects (id),
        user_id uuid NOT NULL REFERENCES auth_users (id) ON DELETE CASCADE,
        role text NOT NULL CHECK (role IN (${oneOf(memberRoles)})),
        created_at timestamptz(3) NOT NULL,
        PRIMARY KEY (project_id, user_id)
      )`);
    await runner.query(`CREATE INDEX members_user ON members (user_id, project_id)`);
  }
}
