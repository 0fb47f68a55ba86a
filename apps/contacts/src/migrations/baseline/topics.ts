export const topicsTables = `
  CREATE TABLE topics (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    key text COLLATE "C" NOT NULL,
    name text NOT NULL,
    description text,
    default_opt_in boolean NOT NULL,
    archived boolean NOT NULL,
    seq bigint NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX topics_by_creation ON topics (project_id, archived, created_at DESC, id DESC);
  ALTER TABLE topics ADD CONSTRAINT topics_key UNIQUE (project_id, key);
  ALTER TABLE topics ADD PRIMARY KEY (project_id, id);

  -- What contacts chose; where there is no row, the topic's default holds.
  CREATE TABLE topic_choices (
    project_id uuid NOT NULL,
    topic_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    opted_in boolean NOT NULL,
    source text COLLATE "C" NOT NULL CHECK (source IN ('API', 'PREFERENCE_PAGE', 'UNSUBSCRIBE_LINK')),
    updated_at timestamptz(3) NOT NULL
  );
  CREATE INDEX topic_choices_of_contact ON topic_choices (project_id, contact_id);
  ALTER TABLE topic_choices ADD PRIMARY KEY (project_id, topic_id, contact_id);
`;
