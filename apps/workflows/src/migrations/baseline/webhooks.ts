export const webhooksTables = `
  CREATE TABLE webhooks (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    url text NOT NULL,
    description text,
    event_types text[] NOT NULL,
    status text NOT NULL CHECK (status IN ('ACTIVE', 'PAUSED', 'DISABLED')),
    disabled_reason text,
    generation integer NOT NULL DEFAULT 1,
    seq bigint NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id)
  );
  CREATE INDEX webhooks_by_creation ON webhooks (project_id, created_at DESC, id DESC);

  CREATE TABLE endpoints (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    failures_in_row integer NOT NULL DEFAULT 0,
    failing_since timestamptz,
    rest_seconds integer NOT NULL DEFAULT 0,
    rests_until timestamptz,
    last_success_at timestamptz(3),
    used_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id)
  ) WITH (fillfactor = 70);
  CREATE INDEX endpoints_by_use ON endpoints (used_at);

  CREATE TABLE signing_secrets (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    owner_id uuid NOT NULL,
    sealed text NOT NULL,
    last_four text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    ends_at timestamptz,
    PRIMARY KEY (project_id, id)
  );
  CREATE INDEX signing_secrets_by_owner ON signing_secrets (project_id, owner_id);
  CREATE UNIQUE INDEX signing_secrets_current ON signing_secrets (project_id, owner_id) WHERE ends_at IS NULL;
  CREATE INDEX signing_secrets_ended ON signing_secrets (ends_at) WHERE ends_at IS NOT NULL;

  -- Without foreign keys to their subscription: those of a deleted one are many, and are removed in batches.
  CREATE TABLE webhook_calls (
    project_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    id uuid NOT NULL,
    event_id uuid NOT NULL,
    event_type text NOT NULL,
    contact_id uuid,
    body text NOT NULL,
    generation integer NOT NULL,
    status text NOT NULL CHECK (status IN ('PENDING', 'SUCCESS', 'FAILED')),
    attempts integer NOT NULL DEFAULT 0,
    retries integer NOT NULL DEFAULT 0,
    claims integer NOT NULL DEFAULT 0,
    due_at timestamptz,
    response_status integer,
    response_body text,
    error text,
    duration_ms integer,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    ended_at timestamptz(3),
    PRIMARY KEY (project_id, webhook_id, id),
    UNIQUE (project_id, webhook_id, event_id),
    CHECK ((status = 'PENDING') = (due_at IS NOT NULL))
  ) WITH (fillfactor = 80);
  CREATE INDEX webhook_calls_by_age ON webhook_calls (created_at);
  CREATE INDEX webhook_calls_by_contact ON webhook_calls (project_id, contact_id) WHERE contact_id IS NOT NULL;
  CREATE INDEX webhook_calls_by_creation ON webhook_calls (project_id, webhook_id, created_at DESC, id DESC);
  CREATE INDEX webhook_calls_due ON webhook_calls (project_id, webhook_id, generation, due_at, id) WHERE status = 'PENDING';

  CREATE TABLE webhook_attempts (
    project_id uuid NOT NULL,
    webhook_id uuid NOT NULL,
    call_id uuid NOT NULL,
    attempt integer NOT NULL,
    at timestamptz(3) NOT NULL DEFAULT now(),
    response_status integer,
    error text,
    duration_ms integer NOT NULL,
    PRIMARY KEY (project_id, webhook_id, call_id, attempt)
  );

  CREATE TABLE step_calls (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    execution_id uuid NOT NULL,
    contact_id uuid,
    method text NOT NULL,
    url text NOT NULL,
    headers json NOT NULL,
    body text,
    status text NOT NULL CHECK (status IN ('PENDING', 'SUCCESS', 'FAILED')),
    attempts integer NOT NULL DEFAULT 0,
    retries integer NOT NULL DEFAULT 0,
    claims integer NOT NULL DEFAULT 0,
    due_at timestamptz,
    response_status integer,
    response_body text,
    error text,
    duration_ms integer,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    ended_at timestamptz(3),
    PRIMARY KEY (project_id, id),
    CHECK ((status = 'PENDING') = (due_at IS NOT NULL))
  ) WITH (fillfactor = 80);
  CREATE INDEX step_calls_by_age ON step_calls (created_at);
  CREATE INDEX step_calls_by_contact ON step_calls (project_id, contact_id) WHERE contact_id IS NOT NULL;
  CREATE INDEX step_calls_due ON step_calls (project_id, endpoint_id, due_at, id) WHERE status = 'PENDING';
`;
