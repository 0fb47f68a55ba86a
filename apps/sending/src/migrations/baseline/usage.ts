export const usageTables = `
  CREATE TABLE project_states (
    project_id uuid PRIMARY KEY,
    disabled boolean NOT NULL,
    seq bigint NOT NULL,
    name text,
    tracking text,
    language text,
    cap_messages integer,
    cap_days integer,
    time_zone text,
    postal_address text
  );

  CREATE TABLE project_usage (
    project_id uuid PRIMARY KEY,
    monthly_limit integer CHECK (monthly_limit >= 0),
    daily_limit integer CHECK (daily_limit >= 0),
    transactional_limit integer CHECK (transactional_limit >= 0),
    campaign_limit integer CHECK (campaign_limit >= 0),
    workflow_limit integer CHECK (workflow_limit >= 0),
    inbound_limit integer CHECK (inbound_limit >= 0),
    when_exhausted text NOT NULL DEFAULT 'FAIL' CHECK (when_exhausted IN ('FAIL', 'HOLD'))
  );
  CREATE INDEX project_usage_limited ON project_usage (project_id) WHERE num_nonnulls(monthly_limit, daily_limit, transactional_limit, campaign_limit, workflow_limit, inbound_limit) > 0;

  CREATE TABLE usage_counts (
    project_id uuid NOT NULL,
    shard smallint NOT NULL,
    month date NOT NULL DEFAULT (date_trunc('month'::text, (now() AT TIME ZONE 'UTC'::text)))::date,
    transactional integer NOT NULL DEFAULT 0,
    campaign integer NOT NULL DEFAULT 0,
    workflow integer NOT NULL DEFAULT 0,
    inbound integer NOT NULL DEFAULT 0,
    day date NOT NULL DEFAULT ((now() AT TIME ZONE 'UTC'::text))::date,
    sent_today integer NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, shard)
  ) WITH (fillfactor = 50);

  CREATE TABLE usage_warnings (
    project_id uuid PRIMARY KEY,
    warned jsonb NOT NULL
  );
`;
