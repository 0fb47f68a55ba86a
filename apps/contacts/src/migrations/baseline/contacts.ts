export const contactsTables = `
  -- Addresses compare byte by byte: a new version of the system's collations must not break a unique index.
  CREATE TABLE contacts (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    email text COLLATE "C" NOT NULL,
    subscribed boolean NOT NULL,
    custom_fields jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(custom_fields) = 'object'),
    seq bigint NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now()
  ) WITH (fillfactor = 85);
  CREATE INDEX contacts_by_creation ON contacts (project_id, created_at DESC, id DESC);
  CREATE INDEX contacts_by_subscription ON contacts (project_id, subscribed, created_at DESC, id DESC);
  ALTER TABLE contacts ADD PRIMARY KEY (project_id, id);
  ALTER TABLE contacts ADD UNIQUE (project_id, email);

  CREATE TABLE contact_counts (
    project_id uuid PRIMARY KEY,
    total bigint NOT NULL,
    subscribed bigint NOT NULL
  );

  CREATE TABLE contact_count_deltas (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id uuid NOT NULL,
    total integer NOT NULL,
    subscribed integer NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
  CREATE INDEX contact_count_deltas_of_project ON contact_count_deltas (project_id);

  CREATE TABLE contact_history (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    contact_id uuid NOT NULL,
    kind text COLLATE "C" NOT NULL CHECK (kind IN ('list.pending', 'list.confirmed', 'list.unsubscribed', 'segment.entered', 'segment.exited')),
    subject_id uuid NOT NULL,
    source text COLLATE "C",
    PRIMARY KEY (project_id, contact_id, id)
  ) PARTITION BY RANGE (id);
  CREATE TABLE contact_history_default PARTITION OF contact_history DEFAULT;

  -- Who subscribed or left, when, in which way and on whose word: rows that nobody changes.
  CREATE TABLE consents (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    contact_id uuid NOT NULL,
    -- What the consent is to; null: all marketing mail.
    topic_id uuid,
    address_hash bytea,
    before boolean,
    after boolean NOT NULL,
    at timestamptz(3) NOT NULL,
    source text COLLATE "C" NOT NULL,
    actor jsonb,
    address text,
    user_agent text,
    text text
  );
  CREATE INDEX consents_of_contact ON consents (project_id, contact_id, at DESC, id DESC);
  ALTER TABLE consents ADD PRIMARY KEY (project_id, id);

  -- Both extensions are trusted: the owner of a database may create them. Where a server lacks them, a search without a match
  -- reads all contacts of the project, and is right all the same. A short pending list keeps searches and writes quick.
  DO $$ BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE EXTENSION IF NOT EXISTS btree_gin;
    CREATE INDEX contacts_by_address_part ON contacts USING gin (project_id, email gin_trgm_ops) WITH (gin_pending_list_limit = 512);
  EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file THEN
    RAISE NOTICE 'addresses are searched without an index: %', SQLERRM;
  END $$;
`;
