export const importsTables = `
  CREATE TABLE imports (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    status text COLLATE "C" NOT NULL CHECK (status IN ('UPLOADING', 'QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')),
    mode text COLLATE "C" NOT NULL,
    list_ids uuid[] NOT NULL,
    subscribed boolean,
    origin jsonb NOT NULL,
    layout jsonb NOT NULL,
    pieces integer NOT NULL DEFAULT 0,
    position bigint NOT NULL DEFAULT 0,
    line bigint NOT NULL DEFAULT 0,
    total bigint NOT NULL DEFAULT 0,
    processed bigint NOT NULL DEFAULT 0,
    created bigint NOT NULL DEFAULT 0,
    updated bigint NOT NULL DEFAULT 0,
    skipped bigint NOT NULL DEFAULT 0,
    failed bigint NOT NULL DEFAULT 0,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    finished_at timestamptz(3),
    resubscribe boolean NOT NULL DEFAULT false
  ) WITH (fillfactor = 70);
  CREATE INDEX imports_by_creation ON imports (project_id, created_at DESC, id DESC);
  CREATE INDEX imports_open ON imports (project_id, created_at) WHERE (finished_at IS NULL) OR (pieces > 0);
  CREATE UNIQUE INDEX imports_running ON imports (project_id) WHERE status = 'RUNNING';
  ALTER TABLE imports ADD PRIMARY KEY (project_id, id);

  -- Compressing takes longer than writing, and the bytes are gone soon.
  CREATE TABLE import_pieces (
    project_id uuid NOT NULL,
    import_id uuid NOT NULL,
    place integer NOT NULL,
    bytes bytea STORAGE EXTERNAL NOT NULL,
    PRIMARY KEY (project_id, import_id, place)
  );

  CREATE TABLE import_errors (
    project_id uuid NOT NULL,
    import_id uuid NOT NULL,
    line bigint NOT NULL,
    reason text NOT NULL,
    PRIMARY KEY (project_id, import_id, line)
  );

  -- The cells of rows that an import refused, so that its report can be corrected and imported again: for some time, and never past an erasure.
  CREATE TABLE import_rejected_rows (
    project_id uuid NOT NULL,
    import_id uuid NOT NULL,
    line bigint NOT NULL,
    cells jsonb NOT NULL CHECK (jsonb_typeof(cells) = 'array'),
    PRIMARY KEY (project_id, import_id, line)
  );
`;
