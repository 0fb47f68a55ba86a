export const workTables = `
  CREATE TABLE work_items (
    id uuid PRIMARY KEY,
    kind text NOT NULL,
    project_id uuid NOT NULL,
    -- Unique within kind and project while the item is not dead.
    key text,
    group_key text NOT NULL DEFAULT '',
    priority smallint NOT NULL DEFAULT 1 CHECK (priority BETWEEN 0 AND 2),
    state text NOT NULL CHECK (state IN ('WAITING', 'READY', 'CLAIMED', 'SUSPECT', 'PAUSED', 'DEAD')),
    due_at timestamptz NOT NULL DEFAULT now(),
    payload jsonb NOT NULL DEFAULT '{}',
    exclusive boolean NOT NULL DEFAULT false,
    again boolean NOT NULL DEFAULT false,
    worker_id uuid,
    -- Rises with each claim and outcome; writes with an older token are refused.
    lease_token bigint NOT NULL DEFAULT 0,
    claims integer NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0,
    error text,
    traces text,
    created_at timestamptz NOT NULL DEFAULT now()
  ) WITH (fillfactor = 70);
  CREATE INDEX work_items_ready ON work_items (kind, project_id, priority, due_at, id) WHERE state = 'READY';
  CREATE INDEX work_items_waiting ON work_items (due_at) WHERE state = 'WAITING';
  CREATE INDEX work_items_claimed ON work_items (worker_id) WHERE state = 'CLAIMED';
  CREATE INDEX work_items_suspect ON work_items (kind, due_at) WHERE state = 'SUSPECT';
  CREATE INDEX work_items_set_aside ON work_items (kind, project_id, state) WHERE state IN ('PAUSED', 'DEAD');
  CREATE UNIQUE INDEX work_items_key ON work_items (kind, project_id, key) WHERE key IS NOT NULL AND state <> 'DEAD';
  CREATE UNIQUE INDEX work_items_exclusive ON work_items (kind, project_id) WHERE state IN ('CLAIMED', 'SUSPECT') AND exclusive;
  CREATE TABLE work_workers (id uuid PRIMARY KEY, expires_at timestamptz NOT NULL);
  CREATE TABLE work_pauses (
    kind text NOT NULL,
    project_id uuid NOT NULL,
    group_key text NOT NULL,
    PRIMARY KEY (kind, project_id, group_key)
  );
`;
