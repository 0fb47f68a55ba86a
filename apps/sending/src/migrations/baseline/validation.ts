export const validationTables = `
  CREATE TABLE email_validations (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    -- UPLOADING while pieces of a file arrive.
    status text NOT NULL CHECK (status IN ('UPLOADING', 'QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')),
    total integer NOT NULL DEFAULT 0,
    processed integer NOT NULL DEFAULT 0,
    valid integer NOT NULL DEFAULT 0,
    risky integer NOT NULL DEFAULT 0,
    invalid integer NOT NULL DEFAULT 0,
    unknown integer NOT NULL DEFAULT 0,
    -- Of a file: how it is written, the pieces that are stored (0 once they are deleted), and the first byte and line that were not looked at.
    layout jsonb,
    pieces integer NOT NULL DEFAULT 0,
    position integer NOT NULL DEFAULT 0,
    line integer NOT NULL DEFAULT 0,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    finished_at timestamptz(3)
  );
  CREATE INDEX email_validations_by_creation ON email_validations (project_id, created_at DESC, id DESC);
  CREATE INDEX email_validations_by_age ON email_validations (created_at);
  CREATE INDEX email_validations_open ON email_validations (project_id, created_at) WHERE finished_at IS NULL;
  ALTER TABLE email_validations ADD PRIMARY KEY (project_id, id);

  CREATE TABLE email_validation_pieces (
    project_id uuid NOT NULL,
    validation_id uuid NOT NULL,
    place integer NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (project_id, validation_id, place)
  );

  CREATE TABLE email_validation_results (
    project_id uuid NOT NULL,
    validation_id uuid NOT NULL,
    -- The line of a file, or the place in a request.
    line integer NOT NULL,
    email text NOT NULL,
    verdict text NOT NULL CHECK (verdict IN ('VALID', 'RISKY', 'INVALID', 'UNKNOWN')),
    reason text,
    suggestion text,
    syntax boolean NOT NULL,
    -- Null for what could not be looked at.
    mx boolean,
    role boolean,
    disposable boolean,
    free boolean,
    suppressed boolean
  );
  -- For erasures: an address, one that was suggested, and whatever else a text may contain.
  CREATE INDEX email_validation_results_by_email ON email_validation_results (project_id, email);
  CREATE INDEX email_validation_results_by_suggestion ON email_validation_results (project_id, suggestion) WHERE suggestion IS NOT NULL;
  CREATE INDEX email_validation_results_malformed ON email_validation_results (project_id) WHERE NOT syntax;
  ALTER TABLE email_validation_results ADD PRIMARY KEY (project_id, validation_id, line);
`;
