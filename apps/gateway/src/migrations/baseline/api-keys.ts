export const apiKeysTables = `
  CREATE TABLE api_keys (
    project_id uuid NOT NULL REFERENCES projects(id),
    id uuid NOT NULL,
    name text NOT NULL CHECK (length(name) >= 1 AND length(name) <= 100),
    token_hash text NOT NULL UNIQUE CHECK (length(token_hash) = 64),
    last_four text NOT NULL CHECK (length(last_four) = 4),
    legacy_grant_preset text NOT NULL CHECK (legacy_grant_preset IN ('FULL', 'SENDING_ONLY')),
    mode text NOT NULL CHECK (mode IN ('LIVE', 'TEST')),
    scopes text[] NOT NULL,
    domain_id uuid,
    last_used_at timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    revoked_at timestamptz(3),
    confine jsonb,
    PRIMARY KEY (project_id, id),
    CONSTRAINT api_keys_confine_check CHECK ((confine IS NULL) OR (legacy_grant_preset = 'SENDING_ONLY'))
  ) WITH (fillfactor = 80);

  CREATE TABLE api_key_reveals (
    project_id uuid NOT NULL,
    key_id uuid NOT NULL,
    link_hash text NOT NULL UNIQUE CHECK (length(link_hash) = 64),
    sealed text NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    PRIMARY KEY (project_id, key_id),
    FOREIGN KEY (project_id, key_id) REFERENCES api_keys(project_id, id)
  );
`;
