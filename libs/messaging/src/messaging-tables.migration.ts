/** What a service needs to publish events and to subscribe to them. */
export const messagingTables = `
  -- Committed with the change, sent to JetStream by the relay afterwards. Partitioned by day.
  CREATE TABLE outbox (
    id uuid PRIMARY KEY,
    project_id uuid NOT NULL,
    event_name text NOT NULL,
    items jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    -- When the relay learned that JetStream has it; null until then.
    published_at timestamptz(3),
    traces text,
    -- Null where a service acted by itself, or for several; never a visitor's (publishedIpAddressOf).
    actor jsonb,
    ip_address text,
    refusals smallint NOT NULL DEFAULT 0,
    -- The relay skips events that NATS can never accept.
    quarantined_at timestamptz(3),
    quarantine_reason text
  ) PARTITION BY RANGE (id);
  CREATE TABLE outbox_default PARTITION OF outbox DEFAULT;
  CREATE INDEX outbox_unpublished ON outbox (id) WHERE published_at IS NULL;

  CREATE TABLE inbox (
    subscriber text NOT NULL,
    event_id uuid NOT NULL,
    received_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (subscriber, event_id)
  );
  -- Rows arrive in the order of time, for which BRIN is the smallest index.
  CREATE INDEX inbox_by_age ON inbox USING brin (received_at);

  CREATE TABLE dead_letters (
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    subscriber text NOT NULL,
    event_id uuid NOT NULL,
    event_name text NOT NULL,
    payload jsonb NOT NULL,
    error text NOT NULL,
    attempts integer NOT NULL DEFAULT 1,
    first_at timestamptz(3) NOT NULL DEFAULT now(),
    at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (subscriber, event_id)
  );
  CREATE UNIQUE INDEX dead_letters_by_id ON dead_letters (id);

  -- The generation rises with every loss; events sent before a loss are not marked after it.
  CREATE TABLE event_streams (
    name text PRIMARY KEY,
    generation bigint NOT NULL,
    -- Ours: what the stream describes itself with (docs/decisions/0051-nats-cluster.md).
    identity text NOT NULL,
    last_sequence bigint NOT NULL
  ) WITH (fillfactor = 50);

  -- A running republication of the events of a time window, in the order of ids. At most one per service.
  CREATE TABLE event_repeats (
    name text PRIMARY KEY,
    id uuid NOT NULL,
    since timestamptz(3) NOT NULL,
    until timestamptz(3) NOT NULL,
    after uuid NOT NULL
  );

  -- Attempts of an event by itself, and whether the last one ended.
  CREATE TABLE event_tries (
    subscriber text NOT NULL,
    event_id uuid NOT NULL,
    tries integer NOT NULL,
    running boolean NOT NULL,
    first_at timestamptz(3) NOT NULL DEFAULT now(),
    at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (subscriber, event_id)
  );

  CREATE TABLE read_models (
    name text PRIMARY KEY,
    rebuilt_at timestamptz(3),
    stale_at timestamptz(3)
  );
`;
