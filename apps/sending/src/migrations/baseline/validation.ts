export const validationTables = `
  CREATE TABLE email_validations (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    total integer NOT NULL,
    valid integer NOT NULL,
    risky integer NOT NULL,
    invalid integer NOT NULL,
    unknown integer NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX email_validations_by_creation ON email_validations (project_id, created_at DESC, id DESC);
  CREATE INDEX email_validations_by_age ON email_validations (created_at);
  ALTER TABLE email_validations ADD PRIMARY KEY (project_id, id);

  CREATE TABLE email_validation_results (
    project_id uuid NOT NULL,
    validation_id uuid NOT NULL,
    position integer NOT NULL,
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
  ALTER TABLE email_validation_results ADD PRIMARY KEY (project_id, validation_id, position);
`;
