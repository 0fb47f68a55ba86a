export const eventsTables = `
  CREATE TABLE events (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    contact_id uuid NOT NULL,
    name text COLLATE "C" NOT NULL,
    email_id uuid,
    payload jsonb NOT NULL,
    occurred_at timestamptz(3) NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now()
  ) PARTITION BY RANGE (id);
  CREATE TABLE events_default PARTITION OF events DEFAULT;
  CREATE INDEX events_by_name ON events (project_id, name, id);
  CREATE INDEX events_of_contact ON events (project_id, contact_id, id);
  ALTER TABLE events ADD PRIMARY KEY (project_id, id);

  CREATE TABLE event_names (
    project_id uuid NOT NULL,
    name text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (project_id, name)
  );

  CREATE TABLE event_days (
    project_id uuid NOT NULL,
    day date NOT NULL,
    name text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (project_id, day, name)
  );

  CREATE TABLE event_count_deltas (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id uuid NOT NULL,
    day date NOT NULL,
    name text COLLATE "C" NOT NULL,
    count integer NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
  CREATE INDEX event_count_deltas_of_project ON event_count_deltas (project_id);

  CREATE TABLE event_summaries (
    project_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    name text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    first_at timestamptz(3) NOT NULL,
    last_at timestamptz(3) NOT NULL
  ) WITH (fillfactor = 80);
  CREATE INDEX event_summaries_by_name ON event_summaries (project_id, name, contact_id);
  ALTER TABLE event_summaries ADD PRIMARY KEY (project_id, contact_id, name);

  CREATE TABLE mail_summaries (
    project_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    kind text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    first_at timestamptz(3) NOT NULL,
    last_at timestamptz(3) NOT NULL
  ) WITH (fillfactor = 80);
  CREATE INDEX mail_summaries_by_kind ON mail_summaries (project_id, kind, contact_id);
  ALTER TABLE mail_summaries ADD PRIMARY KEY (project_id, contact_id, kind);

  -- Mail events may overtake the event that creates their contact.
  CREATE TABLE early_mail_events (
    project_id uuid NOT NULL,
    email text NOT NULL,
    kind text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    first_at timestamptz(3) NOT NULL,
    last_at timestamptz(3) NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, email, kind)
  );

  -- So that a repeated step of a workflow does not undo what the person did meanwhile.
  CREATE TABLE applied_effects (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, id)
  );
  CREATE INDEX applied_effects_by_age ON applied_effects (applied_at);
`;
