export const suppressionsTables = `
  CREATE TABLE suppressions (
    project_id uuid NOT NULL,
    email text NOT NULL,
    reason text NOT NULL CHECK (reason IN ('HARD_BOUNCE', 'COMPLAINT', 'MANUAL', 'UNSUBSCRIBE')),
    source text NOT NULL CHECK (source IN ('API', 'DASHBOARD', 'PROVIDER')),
    created_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX suppressions_by_creation ON suppressions (project_id, created_at DESC, ((md5(email))::uuid) DESC);
  CREATE INDEX suppressions_of_erased ON suppressions (project_id) WHERE email ~~ '%@erased.invalid';
  ALTER TABLE suppressions ADD PRIMARY KEY (project_id, email);

  CREATE TABLE suppression_imports (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    status text NOT NULL CHECK (status IN ('QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')),
    csv text NOT NULL,
    source text NOT NULL CHECK (source IN ('API', 'DASHBOARD', 'PROVIDER')),
    total integer NOT NULL,
    processed integer NOT NULL DEFAULT 0,
    created integer NOT NULL DEFAULT 0,
    skipped integer NOT NULL DEFAULT 0,
    failed integer NOT NULL DEFAULT 0,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    finished_at timestamptz(3),
    PRIMARY KEY (project_id, id)
  );

  -- The row of somebody who opted in again stays, so that an older event does not opt them out once more.
  CREATE TABLE opt_outs (
    project_id uuid NOT NULL,
    email text NOT NULL,
    opted_out boolean NOT NULL,
    -- All zeros for an address without a contact: ids rise with time, so any later contact is newer.
    contact_id uuid NOT NULL,
    seq bigint NOT NULL,
    since timestamptz(3) NOT NULL DEFAULT now(),
    -- An opt-out without a contact. Subscriptions from before it do not undo it, even when their event arrives later.
    stranger_at timestamptz(3),
    PRIMARY KEY (project_id, email)
  );

  -- Suppressions and opt-outs that arrive later for an erased address are stored under its hash.
  CREATE TABLE erased_addresses (
    project_id uuid NOT NULL,
    -- The hash of the address, with the domain erased.invalid.
    email text NOT NULL,
    contact_id uuid NOT NULL,
    erased_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX erased_addresses_by_contact ON erased_addresses (project_id, contact_id);
  ALTER TABLE erased_addresses ADD PRIMARY KEY (project_id, email);

  CREATE TABLE erasure_secrets (
    id uuid PRIMARY KEY,
    sealed text NOT NULL
  );
`;
