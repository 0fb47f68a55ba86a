export const auditTables = `
  -- Events may come late, and from projects that are gone: nothing here refers to another table.
  CREATE TABLE audit_entries (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    created_at timestamptz(3) NOT NULL,
    actor_kind text NOT NULL CHECK (actor_kind IN ('USER', 'KEY', 'TOKEN', 'OPERATOR', 'SERVICE')),
    actor_id text NOT NULL,
    actor_name text,
    address text,
    action text NOT NULL,
    resource_type text NOT NULL,
    resource_id text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('SUCCEEDED', 'REFUSED'))
  );
  CREATE INDEX audit_action ON audit_entries (project_id, action, created_at DESC, id DESC);
  CREATE INDEX audit_actor ON audit_entries (project_id, actor_id, created_at DESC, id DESC);
  CREATE INDEX audit_newest ON audit_entries (project_id, created_at DESC, id DESC);
  ALTER TABLE audit_entries ADD PRIMARY KEY (project_id, id);
`;
