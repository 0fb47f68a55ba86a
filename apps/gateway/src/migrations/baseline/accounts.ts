export const accountsTables = `
  -- The columns of \`auth_*\` bear the names of the library that writes them.
  CREATE TABLE auth_users (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    email text NOT NULL UNIQUE CHECK (email = lower(email)),
    "emailVerified" boolean NOT NULL,
    image text,
    "twoFactorEnabled" boolean,
    "createdAt" timestamptz NOT NULL DEFAULT now(),
    "updatedAt" timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX auth_users_unconfirmed ON auth_users ("createdAt") WHERE NOT "emailVerified";

  CREATE TABLE auth_accounts (
    id uuid PRIMARY KEY,
    "accountId" text NOT NULL,
    "providerId" text NOT NULL,
    "userId" uuid NOT NULL REFERENCES auth_users(id) ON DELETE CASCADE,
    "accessToken" text,
    "refreshToken" text,
    "idToken" text,
    "accessTokenExpiresAt" timestamptz,
    "refreshTokenExpiresAt" timestamptz,
    scope text,
    password text,
    "createdAt" timestamptz NOT NULL DEFAULT now(),
    "updatedAt" timestamptz NOT NULL
  );
  CREATE INDEX auth_accounts_user ON auth_accounts ("userId");

  -- \`token\` holds the hash of the cookie's token, never the token.
  CREATE TABLE auth_sessions (
    id uuid PRIMARY KEY,
    token text NOT NULL UNIQUE,
    "userId" uuid NOT NULL REFERENCES auth_users(id) ON DELETE CASCADE,
    "expiresAt" timestamptz NOT NULL,
    "ipAddress" text,
    "userAgent" text,
    "createdAt" timestamptz NOT NULL DEFAULT now(),
    "updatedAt" timestamptz NOT NULL
  );
  CREATE INDEX auth_sessions_user ON auth_sessions ("userId");

  CREATE TABLE auth_two_factors (
    id uuid PRIMARY KEY,
    secret text NOT NULL,
    "backupCodes" text NOT NULL,
    "userId" uuid NOT NULL REFERENCES auth_users(id) ON DELETE CASCADE,
    verified boolean,
    "failedVerificationCount" integer,
    "lockedUntil" timestamptz
  );
  CREATE INDEX auth_two_factors_user ON auth_two_factors ("userId");

  CREATE TABLE auth_verifications (
    id uuid PRIMARY KEY,
    identifier text NOT NULL,
    value text NOT NULL,
    "expiresAt" timestamptz NOT NULL,
    "createdAt" timestamptz NOT NULL DEFAULT now(),
    "updatedAt" timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX auth_verifications_identifier ON auth_verifications (identifier);

  -- Lost in a crash, and no harm done: its windows last a minute.
  CREATE UNLOGGED TABLE auth_rate_limits (
    id uuid PRIMARY KEY,
    key text NOT NULL UNIQUE,
    count integer NOT NULL,
    "lastRequest" bigint NOT NULL
  );

  -- What sessions are signed with, sealed under the installation's key.
  CREATE TABLE auth_secrets (
    id uuid PRIMARY KEY,
    sealed text NOT NULL
  );
`;
