export const oauthTables = `
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
  );

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
    "userId" uuid REFERENCES auth_users(id) ON DELETE CASCADE,
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
  );
  CREATE INDEX oauth_clients_strange ON oauth_clients ("createdAt") WHERE kept_since IS NULL;
  CREATE INDEX oauth_clients_user ON oauth_clients ("userId");

  CREATE TABLE oauth_client_resources (
    id uuid PRIMARY KEY,
    "clientId" text NOT NULL REFERENCES oauth_clients("clientId") ON DELETE CASCADE,
    "resourceId" text NOT NULL REFERENCES oauth_resources(identifier) ON DELETE CASCADE,
    metadata jsonb,
    "createdAt" timestamptz,
    UNIQUE ("clientId", "resourceId")
  );

  CREATE TABLE oauth_client_assertions (
    id text PRIMARY KEY,
    "expiresAt" timestamptz NOT NULL
  );
  CREATE INDEX oauth_client_assertions_expiry ON oauth_client_assertions ("expiresAt");

  CREATE TABLE oauth_consents (
    id uuid PRIMARY KEY,
    "clientId" text NOT NULL REFERENCES oauth_clients("clientId") ON DELETE CASCADE,
    "userId" uuid NOT NULL,
    "referenceId" uuid NOT NULL,
    resources jsonb,
    "requestedUserInfoClaims" jsonb,
    scopes jsonb NOT NULL,
    "createdAt" timestamptz NOT NULL,
    "updatedAt" timestamptz NOT NULL,
    UNIQUE ("userId", "referenceId", "clientId"),
    FOREIGN KEY ("referenceId", "userId") REFERENCES members(project_id, user_id) ON DELETE CASCADE
  );
  CREATE INDEX oauth_consents_client ON oauth_consents ("clientId");

  CREATE TABLE oauth_refresh_tokens (
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
    "rotatedAt" timestamptz,
    "rotationReplayResponse" text,
    "rotationReplayExpiresAt" timestamptz,
    "authTime" timestamptz,
    FOREIGN KEY ("userId", "referenceId", "clientId") REFERENCES oauth_consents("userId", "referenceId", "clientId") ON DELETE CASCADE
  );
  CREATE INDEX oauth_refresh_tokens_code ON oauth_refresh_tokens ("authorizationCodeId");
  CREATE INDEX oauth_refresh_tokens_expiry ON oauth_refresh_tokens ("expiresAt");
  CREATE INDEX oauth_refresh_tokens_grant ON oauth_refresh_tokens ("userId", "referenceId", "clientId");

  -- \`token\` holds the hash of the token, never the token.
  CREATE TABLE oauth_access_tokens (
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
    "refreshId" uuid REFERENCES oauth_refresh_tokens(id) ON DELETE CASCADE,
    FOREIGN KEY ("userId", "referenceId", "clientId") REFERENCES oauth_consents("userId", "referenceId", "clientId") ON DELETE CASCADE
  );
  CREATE INDEX oauth_access_tokens_code ON oauth_access_tokens ("authorizationCodeId");
  CREATE INDEX oauth_access_tokens_expiry ON oauth_access_tokens ("expiresAt");
  CREATE INDEX oauth_access_tokens_grant ON oauth_access_tokens ("userId", "referenceId", "clientId");
  CREATE INDEX oauth_access_tokens_refresh ON oauth_access_tokens ("refreshId");
`;
