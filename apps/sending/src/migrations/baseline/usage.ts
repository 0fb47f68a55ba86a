export const usageTables = `
  -- A read model of the gateway's events. Mail of unknown projects is not sent.
  CREATE TABLE project_states (
    project_id uuid PRIMARY KEY,
    disabled boolean NOT NULL,
    seq bigint NOT NULL,
    -- Null until an event of a release that publishes it; so are tracking, language and timeZone.
    name text,
    tracking text,
    language text,
    -- Of marketing mail to one recipient, in capDays; null: no limit.
    cap_messages integer,
    cap_days integer,
    time_zone text,
    postal_address text
  );

  -- The limits of a project, null where there is none (docs/decisions/0026-allowances.md).
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

  -- What a project has used, spread over several rows: of month and day (UTC); those of an earlier one are read as 0.
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

  -- Apart from the counts, so that whoever warns keeps no mark waiting.
  CREATE TABLE usage_warnings (
    project_id uuid PRIMARY KEY,
    -- By limit: the end of the period whose warning was sent, and its percentage.
    warned jsonb NOT NULL
  );
`;
