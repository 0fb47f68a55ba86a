export const erasuresTables = `
  CREATE TABLE erasures (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    sealed text,
    answers jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(answers) = 'object'),
    created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    completed_at timestamptz(3),
    PRIMARY KEY (project_id, id),
    CHECK ((sealed IS NULL) = (completed_at IS NOT NULL))
  ) WITH (fillfactor = 70);

  CREATE TABLE erasure_secrets (
    id uuid PRIMARY KEY,
    sealed text NOT NULL
  );

  -- Keyed hashes that keep late reports from bringing an erased person back.
  CREATE TABLE tombstones (
    project_id uuid NOT NULL,
    address_hash bytea NOT NULL,
    erased_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX tombstones_by_age ON tombstones (project_id, erased_at);
  ALTER TABLE tombstones ADD PRIMARY KEY (project_id, address_hash);
`;
