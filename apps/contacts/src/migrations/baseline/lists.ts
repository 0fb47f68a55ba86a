export const listsTables = `
  CREATE TABLE lists (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    description text,
    double_opt_in boolean NOT NULL,
    confirmation_template_id uuid,
    redirect_url text,
    seq bigint NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX lists_by_creation ON lists (project_id, created_at DESC, id DESC);
  ALTER TABLE lists ADD PRIMARY KEY (project_id, id);

  CREATE TABLE memberships (
    project_id uuid NOT NULL,
    list_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    id uuid NOT NULL,
    status text COLLATE "C" NOT NULL CHECK (status IN ('PENDING', 'CONFIRMED', 'UNSUBSCRIBED')),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    token_hash text COLLATE "C",
    token_ends_at timestamptz(3),
    token_round bigint NOT NULL DEFAULT 0,
    subscribes_contact boolean NOT NULL DEFAULT false
  );
  CREATE INDEX memberships_by_creation ON memberships (project_id, list_id, created_at DESC, id DESC);
  CREATE INDEX memberships_by_status ON memberships (project_id, list_id, status, created_at DESC, id DESC);
  CREATE INDEX memberships_of_contact ON memberships (project_id, contact_id);
  ALTER TABLE memberships ADD CONSTRAINT memberships_id UNIQUE (project_id, id);
  ALTER TABLE memberships ADD PRIMARY KEY (project_id, list_id, contact_id);

  CREATE TABLE list_counts (
    project_id uuid NOT NULL,
    list_id uuid NOT NULL,
    pending bigint NOT NULL,
    confirmed bigint NOT NULL,
    unsubscribed bigint NOT NULL,
    PRIMARY KEY (project_id, list_id)
  ) WITH (fillfactor = 80);

  CREATE TABLE list_count_deltas (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id uuid NOT NULL,
    list_id uuid NOT NULL,
    pending bigint NOT NULL,
    confirmed bigint NOT NULL,
    unsubscribed bigint NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
  CREATE INDEX list_count_deltas_of_list ON list_count_deltas (project_id, list_id);
`;
