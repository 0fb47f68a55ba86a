export const projectsTables = `
  CREATE TABLE projects (
    id uuid PRIMARY KEY,
    name text NOT NULL CHECK (length(name) >= 1 AND length(name) <= 100),
    disabled_reason text CHECK (disabled_reason IN ('PAYMENT_FAILED', 'EMAIL_REPUTATION', 'PHISHING_DETECTED', 'MANUAL')),
    sandbox_handle text NOT NULL UNIQUE,
    secret_per_second integer CHECK (secret_per_second > 0),
    public_per_second integer CHECK (public_per_second > 0),
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    seq bigint NOT NULL CHECK (seq > 0),
    tracking text NOT NULL DEFAULT 'ENABLED' CHECK (tracking IN ('ENABLED', 'DISABLED', 'MARKETING_ONLY')),
    region text NOT NULL DEFAULT 'us-east-1',
    language text NOT NULL DEFAULT 'en',
    created_by uuid REFERENCES auth_users(id) ON DELETE SET NULL,
    enabled_at timestamptz(3),
    time_zone text NOT NULL DEFAULT 'UTC',
    frequency_cap jsonb,
    postal_address text
  );
  CREATE INDEX projects_creator ON projects (created_by, created_at) WHERE created_by IS NOT NULL;
  CREATE INDEX projects_newest ON projects (created_at DESC, id DESC);
  CREATE INDEX projects_withdrawn ON projects (id) WHERE disabled_reason = 'PHISHING_DETECTED';

  -- What a project sent and what came back, by hour (UTC); kept for eight days. Simulated mail and that of TEST keys does not
  -- count.
  CREATE TABLE reputation_hours (
    project_id uuid NOT NULL,
    hour timestamptz NOT NULL,
    sent bigint NOT NULL DEFAULT 0,
    bounced bigint NOT NULL DEFAULT 0,
    complained bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, hour)
  );

  CREATE TABLE reputation_warnings (
    project_id uuid PRIMARY KEY,
    warned_at timestamptz(3) NOT NULL
  );

  -- Lost in a crash, and no harm done: a window lasts one second.
  CREATE UNLOGGED TABLE rate_windows (
    key_id uuid PRIMARY KEY,
    second bigint NOT NULL,
    used bigint NOT NULL
  ) WITH (fillfactor = 50);

  -- What a signature that does not cover its report was used for first.
  CREATE TABLE hook_signatures (
    token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
    content_hash bytea NOT NULL CHECK (length(content_hash) = 32),
    seen_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX hook_signatures_seen ON hook_signatures (seen_at);
`;
