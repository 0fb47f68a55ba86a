export const domainsTables = `
  CREATE TABLE domains (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    domain text NOT NULL,
    verified boolean NOT NULL,
    is_default boolean NOT NULL DEFAULT false,
    default_from_address text,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    vouched boolean NOT NULL DEFAULT false,
    region text NOT NULL DEFAULT 'us-east-1' CHECK (region IN ('us-east-1', 'us-west-2', 'eu-west-1')),
    stream text CHECK (stream IN ('TRANSACTIONAL', 'MARKETING')),
    stream_default boolean NOT NULL DEFAULT false,
    spf_status text NOT NULL DEFAULT 'NOT_CHECKED' CHECK (spf_status IN ('NOT_CHECKED', 'PENDING', 'VERIFIED', 'FAILED')),
    dmarc_status text NOT NULL DEFAULT 'NOT_CHECKED' CHECK (dmarc_status IN ('NOT_CHECKED', 'PENDING', 'VERIFIED', 'FAILED')),
    dmarc_strict boolean NOT NULL DEFAULT false,
    mail_from_domain text,
    mail_from_status text NOT NULL DEFAULT 'NOT_CHECKED' CHECK (mail_from_status IN ('NOT_CHECKED', 'PENDING', 'VERIFIED', 'FAILED')),
    tracking_host text,
    tracking_status text NOT NULL DEFAULT 'NOT_CHECKED' CHECK (tracking_status IN ('NOT_CHECKED', 'PENDING', 'VERIFIED', 'FAILED')),
    receiving_enabled boolean NOT NULL DEFAULT false,
    receiving_status text NOT NULL DEFAULT 'NOT_CHECKED' CHECK (receiving_status IN ('NOT_CHECKED', 'PENDING', 'VERIFIED', 'FAILED')),
    last_checked_at timestamptz(3),
    lost_since timestamptz(3),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    spf_problem text,
    PRIMARY KEY (project_id, id),
    CHECK ((NOT stream_default) OR (stream IS NOT NULL))
  );
  CREATE UNIQUE INDEX domains_default ON domains (project_id) WHERE is_default;
  CREATE UNIQUE INDEX domains_of_project ON domains (project_id, domain);
  CREATE UNIQUE INDEX domains_stream_default ON domains (project_id, stream) WHERE stream_default;
  CREATE UNIQUE INDEX domains_verified ON domains (domain) WHERE verified;

  -- One key of each kind signs, and one waits to.
  CREATE TABLE dkim_keys (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    domain_id uuid NOT NULL,
    selector text NOT NULL,
    algorithm text NOT NULL CHECK (algorithm IN ('rsa', 'ed25519')),
    sealed text NOT NULL,
    public_key text NOT NULL,
    state text NOT NULL CHECK (state IN ('PENDING', 'ACTIVE', 'RETIRING')),
    record_status text NOT NULL DEFAULT 'NOT_CHECKED' CHECK (record_status IN ('NOT_CHECKED', 'PENDING', 'VERIFIED', 'FAILED')),
    retiring_since timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    FOREIGN KEY (project_id, domain_id) REFERENCES domains(project_id, id) ON DELETE CASCADE
  );
  CREATE UNIQUE INDEX dkim_keys_in_place ON dkim_keys (project_id, domain_id, algorithm, state) WHERE state <> 'RETIRING';
  CREATE INDEX dkim_keys_of_domain ON dkim_keys (project_id, domain_id);
  ALTER TABLE dkim_keys ADD PRIMARY KEY (project_id, id);
`;
