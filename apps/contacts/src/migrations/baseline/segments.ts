export const segmentsTables = `
  CREATE TABLE segments (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    slug text COLLATE "C" NOT NULL,
    description text,
    type text COLLATE "C" NOT NULL CHECK (type IN ('DYNAMIC', 'STATIC')),
    condition jsonb,
    track_membership boolean NOT NULL,
    upkeep text COLLATE "C" NOT NULL CHECK (upkeep IN ('MANUAL', 'LIVE', 'SCHEDULED')),
    cost_ms integer NOT NULL,
    refreshed_at timestamptz(3) NOT NULL DEFAULT now(),
    seq bigint NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    CHECK ((type = 'STATIC') OR (condition IS NOT NULL))
  );
  CREATE INDEX segments_by_creation ON segments (project_id, created_at DESC, id DESC);
  ALTER TABLE segments ADD PRIMARY KEY (project_id, id);
  ALTER TABLE segments ADD UNIQUE (project_id, name);

  -- A current or former slug of a segment, which no other one may take.
  CREATE TABLE segment_slugs (
    project_id uuid NOT NULL,
    slug text COLLATE "C" NOT NULL,
    segment_id uuid NOT NULL,
    since timestamptz(3) NOT NULL DEFAULT now(),
    FOREIGN KEY (project_id, segment_id) REFERENCES segments(project_id, id) ON DELETE CASCADE
  );
  CREATE INDEX segment_slugs_of_segment ON segment_slugs (project_id, segment_id);
  ALTER TABLE segment_slugs ADD PRIMARY KEY (project_id, slug);

  CREATE TABLE segment_edges (
    project_id uuid NOT NULL,
    segment_id uuid NOT NULL,
    names_id uuid NOT NULL,
    FOREIGN KEY (project_id, names_id) REFERENCES segments(project_id, id),
    FOREIGN KEY (project_id, segment_id) REFERENCES segments(project_id, id) ON DELETE CASCADE
  );
  CREATE INDEX segment_edges_of_named ON segment_edges (project_id, names_id);
  ALTER TABLE segment_edges ADD PRIMARY KEY (project_id, segment_id, names_id);

  -- Without foreign keys: a million members are written in one statement, and leave with their contact in its commit.
  CREATE TABLE segment_members (
    project_id uuid NOT NULL,
    segment_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    since timestamptz(3) NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX segment_members_by_contact ON segment_members (project_id, contact_id, segment_id);
  ALTER TABLE segment_members ADD PRIMARY KEY (project_id, segment_id, contact_id);

  CREATE TABLE segment_counts (
    project_id uuid NOT NULL,
    segment_id uuid NOT NULL,
    total bigint NOT NULL,
    PRIMARY KEY (project_id, segment_id)
  );

  CREATE TABLE segment_count_deltas (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id uuid NOT NULL,
    segment_id uuid NOT NULL,
    total integer NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
  CREATE INDEX segment_count_deltas_of_segment ON segment_count_deltas (project_id, segment_id);

  -- Contacts whose segments are to be computed again: appended in the commit of the change, never updated.
  CREATE TABLE segment_dirty (
    id bigint GENERATED ALWAYS AS IDENTITY,
    project_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (project_id, id)
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

  CREATE TABLE segment_due (
    project_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    segment_id uuid NOT NULL,
    due_at timestamptz(3) NOT NULL
  );
  CREATE INDEX segment_due_of_project ON segment_due (project_id, due_at);
  CREATE INDEX segment_due_of_segment ON segment_due (project_id, segment_id);
  ALTER TABLE segment_due ADD PRIMARY KEY (project_id, contact_id, segment_id);

  -- A project with DYNAMIC segments: changes of its contacts are marked.
  CREATE TABLE segment_watches (
    project_id uuid PRIMARY KEY,
    since timestamptz(3) NOT NULL DEFAULT now(),
    -- No transaction is left that writes contacts without marking them.
    settled boolean NOT NULL DEFAULT false,
    -- How often marks were removed: with the marks that are there, it tells whether a contact has changed since.
    rounds bigint NOT NULL DEFAULT 0
  ) WITH (fillfactor = 70);
`;
