export const idempotencyKeysTable = `
  CREATE TABLE idempotency_keys (
    project_id uuid NOT NULL,
    operation text NOT NULL,
    key text NOT NULL,
    body_hash text NOT NULL,
    receipt jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, operation, key)
  );
  CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
`;
