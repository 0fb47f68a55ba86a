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
    updated_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX webhooks_by_creation ON webhooks (project_id, created_at DESC, id DESC);
  ALTER TABLE webhooks ADD PRIMARY KEY (project_id, id);

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
    ends_at timestamptz
  );
  CREATE INDEX signing_secrets_by_owner ON signing_secrets (project_id, owner_id);
  CREATE UNIQUE INDEX signing_secrets_current ON signing_secrets (project_id, owner_id) WHERE ends_at IS NULL;
  CREATE INDEX signing_secrets_ended ON signing_secrets (ends_at) WHERE ends_at IS NOT NULL;
  ALTER TABLE signing_secrets ADD PRIMARY KEY (project_id, id);

  -- What is sent, once for all calls; of an event it goes to the URL of each subscription. The id is that of the event or of the visit of a step.
  CREATE TABLE call_requests (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    contact_id uuid,
    execution_id uuid,
    method text,
    url text,
    headers json,
    body text,
    created_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX call_requests_by_age ON call_requests (created_at);
  CREATE INDEX call_requests_by_contact ON call_requests (project_id, contact_id) WHERE contact_id IS NOT NULL;
  ALTER TABLE call_requests ADD PRIMARY KEY (project_id, id);

  -- A request to an endpoint. Without foreign keys: the calls of a deleted subscription are many, and are removed in batches.
  CREATE TABLE calls (
    project_id uuid NOT NULL,
    -- Of a step, that of its request.
    id uuid NOT NULL,
    request_id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    -- Null for the call of a step.
    event_type text,
    generation integer NOT NULL DEFAULT 0,
    status text NOT NULL CHECK (status IN ('PENDING', 'SUCCESS', 'FAILED')),
    attempts integer NOT NULL DEFAULT 0,
    retries integer NOT NULL DEFAULT 0,
    claims integer NOT NULL DEFAULT 0,
    due_at timestamptz,
    response_status integer,
    response_body text,
    error text,
    duration_ms integer,
    -- The last attempts; null where there was none, or where the first was the last and the row says it all.
    history jsonb,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    ended_at timestamptz(3),
    CHECK ((status = 'PENDING') = (due_at IS NOT NULL))
  ) WITH (fillfactor = 80);
  CREATE INDEX calls_by_age ON calls (created_at);
  CREATE INDEX calls_by_creation ON calls (project_id, endpoint_id, created_at DESC, id DESC) WHERE event_type IS NOT NULL;
  CREATE INDEX calls_due ON calls (project_id, endpoint_id, generation, due_at, id) WHERE status = 'PENDING';
  ALTER TABLE calls ADD PRIMARY KEY (project_id, id);
  ALTER TABLE calls ADD UNIQUE (project_id, request_id, endpoint_id);
`;
