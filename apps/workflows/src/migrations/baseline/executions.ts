export const executionsTables = `
  -- Executions and entries have no foreign key: a workflow with a million of them is deleted at once, and they in batches.
  CREATE TABLE executions (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    workflow_version integer NOT NULL,
    generation integer NOT NULL,
    contact_id uuid NOT NULL,
    status text NOT NULL CHECK (status IN ('RUNNING', 'WAITING', 'COMPLETED', 'EXITED', 'FAILED', 'CANCELLED')),
    reason text,
    current_step_id uuid,
    visits jsonb NOT NULL DEFAULT '{}',
    wait text CHECK (wait IN ('TIME', 'EVENT', 'WEBHOOK')),
    due_at timestamptz,
    entered_at timestamptz(3) NOT NULL DEFAULT now(),
    turn integer NOT NULL DEFAULT 0,
    context jsonb NOT NULL DEFAULT '{}',
    event jsonb,
    started_at timestamptz(3) NOT NULL DEFAULT now(),
    ended_at timestamptz(3),
    starter jsonb,
    depth integer NOT NULL DEFAULT 0,
    CHECK ((ended_at IS NULL) = (due_at IS NOT NULL)),
    CONSTRAINT executions_check1 CHECK ((status IN ('RUNNING', 'WAITING')) = (ended_at IS NULL))
  );
  CREATE INDEX executions_by_contact ON executions (project_id, contact_id);
  CREATE INDEX executions_by_end ON executions (ended_at) WHERE ended_at IS NOT NULL;
  CREATE INDEX executions_by_start ON executions (project_id, workflow_id, started_at DESC, id DESC);
  CREATE INDEX executions_by_status ON executions (project_id, workflow_id, status, started_at DESC, id DESC);
  CREATE UNIQUE INDEX executions_one_at_a_time ON executions (project_id, workflow_id, generation, contact_id) INCLUDE (id) WHERE ended_at IS NULL;
  ALTER TABLE executions ADD PRIMARY KEY (project_id, id);

  -- Without foreign keys: a check for each row cost a fifth of the engine.
  CREATE TABLE execution_steps (
    project_id uuid NOT NULL,
    execution_id uuid NOT NULL,
    id uuid NOT NULL,
    step_id uuid NOT NULL,
    visit integer NOT NULL,
    status text NOT NULL CHECK (status IN ('WAITING', 'DONE', 'FAILED', 'SKIPPED')),
    entered_at timestamptz(3) NOT NULL,
    due_at timestamptz(3),
    ended_at timestamptz(3),
    branch text,
    input jsonb,
    output jsonb,
    error text,
    PRIMARY KEY (project_id, execution_id, id),
    UNIQUE (project_id, execution_id, step_id, visit)
  );

  CREATE TABLE execution_waits (
    project_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    event_name text NOT NULL,
    execution_id uuid NOT NULL,
    since timestamptz NOT NULL,
    until timestamptz NOT NULL,
    met_by uuid,
    met_data jsonb,
    met_at timestamptz,
    led_by jsonb
  );
  CREATE INDEX execution_waits_by_execution ON execution_waits (project_id, execution_id);
  CREATE INDEX execution_waits_by_name ON execution_waits (project_id, event_name);
  ALTER TABLE execution_waits ADD PRIMARY KEY (project_id, contact_id, event_name, execution_id);

  CREATE TABLE awaited_events (
    project_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    event_name text NOT NULL,
    event_id uuid NOT NULL,
    at timestamptz NOT NULL,
    data jsonb,
    arrived_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, contact_id, event_name, event_id)
  );
  CREATE INDEX awaited_events_by_arrival ON awaited_events (arrived_at);

  CREATE TABLE step_texts (
    project_id uuid NOT NULL,
    execution_id uuid NOT NULL,
    effect_id uuid,
    texts jsonb,
    error text,
    requested_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE INDEX step_texts_pending ON step_texts (project_id, requested_at, execution_id) WHERE effect_id IS NULL;
  ALTER TABLE step_texts ADD PRIMARY KEY (project_id, execution_id);

  CREATE TABLE erased_contacts (
    project_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    erased_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, contact_id)
  );

  CREATE INDEX work_items_fan_outs ON work_items (project_id) WHERE kind = 'workflows.fan-outs';
  CREATE INDEX work_items_starts ON work_items (project_id) WHERE kind = 'workflows.starts';
`;
