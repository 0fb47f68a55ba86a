export const workflowsTables = `
  CREATE TABLE workflows (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    description text,
    enabled boolean NOT NULL,
    trigger_type text NOT NULL CHECK (trigger_type IN ('EVENT', 'MANUAL', 'SCHEDULE')),
    event_name text,
    interval_ms bigint,
    allow_reentry boolean NOT NULL,
    max_executions_per_hour bigint CHECK (max_executions_per_hour > 0),
    version integer NOT NULL,
    step_count integer NOT NULL,
    seq bigint NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    generation integer NOT NULL DEFAULT 1,
    segment_id uuid,
    paused_at timestamptz(3),
    exit_when jsonb,
    CHECK ((trigger_type = 'EVENT') = (event_name IS NOT NULL)),
    CONSTRAINT workflows_check1 CHECK ((trigger_type = 'SCHEDULE') = (interval_ms IS NOT NULL)),
    CONSTRAINT workflows_check2 CHECK ((trigger_type = 'SCHEDULE') OR (segment_id IS NULL))
  );
  CREATE INDEX workflows_by_creation ON workflows (project_id, created_at DESC, id DESC);
  CREATE INDEX workflows_by_trigger ON workflows (project_id, event_name) WHERE enabled AND trigger_type = 'EVENT';
  ALTER TABLE workflows ADD PRIMARY KEY (project_id, id);

  -- \`json\` and not \`jsonb\`: a config is answered exactly as it was stored. Ids are unique inside one workflow only.
  CREATE TABLE workflow_steps (
    project_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    id uuid NOT NULL,
    place integer NOT NULL,
    name text NOT NULL,
    type text NOT NULL CHECK (type IN ('TRIGGER', 'SEND_EMAIL', 'DELAY', 'WAIT_FOR_EVENT', 'CONDITION', 'WEBHOOK', 'UPDATE_CONTACT', 'EXIT')),
    position json NOT NULL,
    config json NOT NULL,
    FOREIGN KEY (project_id, workflow_id) REFERENCES workflows(project_id, id) ON DELETE CASCADE
  );
  CREATE INDEX workflow_steps_by_template ON workflow_steps (project_id, lower((config ->> 'templateId'::text))) WHERE type = 'SEND_EMAIL';
  CREATE INDEX workflow_steps_conditions ON workflow_steps (project_id) WHERE type = 'CONDITION';
  CREATE UNIQUE INDEX workflow_steps_one_trigger ON workflow_steps (project_id, workflow_id) WHERE type = 'TRIGGER';
  CREATE INDEX workflow_steps_waiting ON workflow_steps (project_id, ((config ->> 'eventName'::text))) WHERE type = 'WAIT_FOR_EVENT';
  ALTER TABLE workflow_steps ADD PRIMARY KEY (project_id, workflow_id, id);

  CREATE TABLE workflow_transitions (
    project_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    id uuid NOT NULL,
    place integer NOT NULL,
    from_step_id uuid NOT NULL,
    to_step_id uuid NOT NULL,
    condition json,
    priority integer NOT NULL CHECK (priority >= 0),
    PRIMARY KEY (project_id, workflow_id, id),
    FOREIGN KEY (project_id, workflow_id) REFERENCES workflows(project_id, id) ON DELETE CASCADE,
    FOREIGN KEY (project_id, workflow_id, from_step_id) REFERENCES workflow_steps(project_id, workflow_id, id) ON DELETE CASCADE,
    FOREIGN KEY (project_id, workflow_id, to_step_id) REFERENCES workflow_steps(project_id, workflow_id, id) ON DELETE CASCADE,
    CHECK (to_step_id <> from_step_id)
  );

  -- \`json\` and not \`jsonb\`: a graph is answered exactly as it was put. Without a lender the version acts for the project.
  CREATE TABLE workflow_versions (
    project_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    version integer NOT NULL,
    graph json NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    lender jsonb,
    was_entered boolean NOT NULL DEFAULT false,
    PRIMARY KEY (project_id, workflow_id, version),
    FOREIGN KEY (project_id, workflow_id) REFERENCES workflows(project_id, id) ON DELETE CASCADE
  );
  CREATE INDEX workflow_versions_by_age ON workflow_versions (created_at);

  CREATE TABLE workflow_entries (
    project_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    PRIMARY KEY (project_id, workflow_id, contact_id)
  );

  CREATE TABLE workflow_counts (
    project_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    step_id uuid NOT NULL,
    counter text NOT NULL,
    -- A count is the sum of its shards, so that starts and steps at the same time do not wait for each other's commit.
    shard smallint NOT NULL DEFAULT 0,
    value bigint NOT NULL,
    PRIMARY KEY (project_id, workflow_id, step_id, counter, shard),
    FOREIGN KEY (project_id, workflow_id) REFERENCES workflows(project_id, id) ON DELETE CASCADE
  );

  CREATE TABLE workflow_hours (
    project_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    hour timestamptz NOT NULL,
    started integer NOT NULL,
    PRIMARY KEY (project_id, workflow_id, hour),
    FOREIGN KEY (project_id, workflow_id) REFERENCES workflows(project_id, id) ON DELETE CASCADE
  );
`;
