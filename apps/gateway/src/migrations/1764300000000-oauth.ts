import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Applications that act for people, and what they were granted. The columns bear the names of the library that writes them;
 * its lists are JSON; `kept_since` is ours: when somebody first let it in. A project stands in `referenceId`. A grant ends with the membership that it rests on, and its tokens with it.
 */
export class Oauth1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.createClients(runner);
    await this.createResources(runner);
    await this.createConsents(runner);
    await this.createTokens(runner);
  }

  async down(): Promise<void> {
    throw new Error('grants are not taken out again: restore the database');
  }

  private async createClients(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE oauth_clients (
        id uuid PRIMARY KEY,
        "clientId" text NOT NULL UNIQUE,
        "clientSecret" text,
        "clientDiscoveryId" text,
        disabled boolean,
        "skipConsent" boolean,
        "enableEndSession" boolean,
        "subjectType" text,
        scopes jsonb,
        "clientCredentialsScopes" jsonb,
        "userId" uuid REFERENCES auth_users (id) ON DELETE CASCADE,
        "createdAt" timestamptz NOT NULL DEFAULT now(),
        "updatedAt" timestamptz,
        name text,
        uri text,
        icon text,
        contacts jsonb,
        tos text,
        policy text,
        "softwareId" text,
        "softwareVersion" text,
        "softwareStatement" text,
        "redirectUris" jsonb NOT NULL,
        "postLogoutRedirectUris" jsonb,
        "backchannelLogoutUri" text,
        "backchannelLogoutSessionRequired" boolean,
        "tokenEndpointAuthMethod" text,
        "applicationType" text,
        jwks text,
        "jwksUri" text,
        "grantTypes" jsonb,
        "responseTypes" jsonb,
        "requirePKCE" boolean,
        "dpopBoundAccessTokens" boolean,
        "referenceId" text,
        metadata jsonb,
        kept_since timestamptz
      )`);
    await runner.query(`CREATE INDEX oauth_clients_user ON oauth_clients ("userId")`);
    await runner.query(
      `CREATE INDEX oauth_clients_strange ON oauth_clients ("createdAt") WHERE kept_since IS NULL`,
    );
    await runner.query(
      `CREATE TABLE oauth_client_assertions (id text PRIMARY KEY, "expiresAt" timestamptz NOT NULL)`,
    );
    await runner.query(
      `CREATE INDEX oauth_client_assertions_expiry ON oauth_client_assertions ("expiresAt")`,
    );
  }

  private async createResources(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE oauth_resources (
        id uuid PRIMARY KEY,
        identifier text NOT NULL UNIQUE,
        name text NOT NULL,
        "accessTokenTtl" integer,
        "refreshTokenTtl" integer,
        "signingAlgorithm" text,
        "signingKeyId" text,
        "allowedScopes" jsonb,
        "customClaims" jsonb,
        "dpopBoundAccessTokensRequired" boolean,
        disabled boolean,
        "createdAt" timestamptz,
        "updatedAt" timestamptz,
        "policyVersion" integer,
        metadata jsonb
      )`);
    await runner.query(`
      CREATE TABLE oauth_client_resources (
        id uuid PRIMARY KEY,
        "clientId" text NOT NULL REFERENCES oauth_clients ("clientId") ON DELETE CASCADE,
        "resourceId" text NOT NULL REFERENCES oauth_resources (identifier) ON DELETE CASCADE,
        metadata jsonb,
        "createdAt" timestamptz,
        UNIQUE ("clientId", "resourceId")
      )`);
  }

  private async createConsents(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE oauth_consents (
        id uuid PRIMARY KEY,
        "clientId" text NOT NULL REFERENCES oauth_clients ("clientId") ON DELETE CASCADE,
        "userId" uuid NOT NULL,
        "referenceId" uuid NOT NULL,
        resources jsonb,
        "requestedUserInfoClaims" jsonb,
        scopes jsonb NOT NULL,
        "createdAt" timestamptz NOT NULL,
        "updatedAt" timestamptz NOT NULL,
        UNIQUE ("userId", "referenceId", "clientId"),
        FOREIGN KEY ("referenceId", "userId") REFERENCES members (project_id, user_id) ON DELETE CASCADE
      )`);
    await runner.query(`CREATE INDEX oauth_consents_client ON oauth_consents ("clientId")`);
  }

  /** `token` holds the hash of the token, never the token. */
  private async createTokens(runner: QueryRunner): Promise<void> {
    const ofBoth = `
        id uuid PRIMARY KEY,
        token text NOT NULL UNIQUE,
        "clientId" text NOT NULL,
        "sessionId" uuid,
        "userId" uuid NOT NULL,
        "referenceId" uuid NOT NULL,
        "authorizationCodeId" text,
        resources jsonb,
        "requestedUserInfoClaims" jsonb,
        "expiresAt" timestamptz NOT NULL,
        "createdAt" timestamptz NOT NULL,
        revoked timestamptz,
        confirmation jsonb,
        scopes jsonb NOT NULL,
        FOREIGN KEY ("userId", "referenceId", "clientId")
          REFERENCES oauth_consents ("userId", "referenceId", "clientId") ON DELETE CASCADE`;
    await runner.query(`
      CREATE TABLE oauth_refresh_tokens (${ofBoth},
        "rotatedAt" timestamptz,
        "rotationReplayResponse" text,
        "rotationReplayExpiresAt" timestamptz,
        "authTime" timestamptz
      )`);
    await runner.query(`
      CREATE TABLE oauth_access_tokens (${ofBoth},
        "refreshId" uuid REFERENCES oauth_refresh_tokens (id) ON DELETE CASCADE
      )`);
    for (const table of ['oauth_refresh_tokens', 'oauth_access_tokens']) {
      await runner.query(`CREATE INDEX ${table}_grant ON ${table} ("userId", "referenceId", "clientId")`);
      await runner.query(`CREATE INDEX ${table}_code ON ${table} ("authorizationCodeId")`);
      await runner.query(`CREATE INDEX ${table}_expiry ON ${table} ("expiresAt")`);
    }
    await runner.query(`CREATE INDEX oauth_access_tokens_refresh ON oauth_access_tokens ("refreshId")`);
  }
}
