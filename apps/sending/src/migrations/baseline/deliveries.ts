export const deliveriesTables = `
  CREATE TABLE deliveries (
    project_id uuid NOT NULL,
    email_id uuid NOT NULL,
    position smallint NOT NULL DEFAULT 0,
    recipient text NOT NULL,
    lane smallint NOT NULL CHECK (lane IN (0, 1)),
    state text NOT NULL CHECK (state IN ('QUEUED', 'HELD', 'CLAIMED', 'HANDOFF', 'AMBIGUOUS', 'SENT', 'BOUNCED', 'FAILED', 'CANCELLED')),
    due_at timestamptz(3) NOT NULL DEFAULT now(),
    expires_at timestamptz(3) NOT NULL,
    attempts smallint NOT NULL DEFAULT 0,
    lease_token bigint NOT NULL DEFAULT 0,
    worker_id uuid,
    bytes integer NOT NULL,
    trace text,
    variables jsonb,
    claims smallint NOT NULL DEFAULT 0,
    resends smallint NOT NULL DEFAULT 0,
    reported_bits smallint NOT NULL DEFAULT 0,
    uses_allowance boolean NOT NULL DEFAULT false,
    waits_for_next_period boolean NOT NULL DEFAULT false,
    has_turn boolean NOT NULL DEFAULT false,
    campaign_id uuid,
    quiet_from timestamptz(3),
    quiet_seconds integer,
    quiet_shift_at timestamptz(3),
    quiet_shift_seconds integer,
    PRIMARY KEY (project_id, email_id, "position")
  ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
  CREATE INDEX deliveries_ambiguous ON deliveries (due_at) WHERE state = 'AMBIGUOUS';
  CREATE INDEX deliveries_by_worker ON deliveries (worker_id) WHERE state IN ('CLAIMED', 'HANDOFF');
  CREATE INDEX deliveries_of_copies ON deliveries (project_id, recipient) WHERE "position" > 0;
  CREATE INDEX deliveries_over_allowance ON deliveries (project_id, due_at) WHERE state = 'QUEUED' AND waits_for_next_period;
  CREATE INDEX deliveries_overdue ON deliveries (project_id, due_at) WHERE state = 'HELD';
  CREATE INDEX deliveries_queued ON deliveries (lane, project_id, due_at, bytes) WHERE state = 'QUEUED';
  CREATE INDEX deliveries_suspected ON deliveries (lane, due_at) WHERE state = 'QUEUED' AND claims > 0;

  CREATE TABLE workers (
    id uuid PRIMARY KEY,
    expires_at timestamptz NOT NULL
  );

  CREATE TABLE installation (
    singleton boolean DEFAULT true PRIMARY KEY CHECK (singleton),
    database_identity text NOT NULL,
    alive_at timestamptz(3) NOT NULL DEFAULT now(),
    hold_before timestamptz(3)
  );

  CREATE TABLE marketing_hand_offs (
    project_id uuid NOT NULL,
    address_hash text COLLATE "C" NOT NULL,
    email_id uuid NOT NULL,
    at timestamptz(3) NOT NULL,
    PRIMARY KEY (project_id, address_hash, email_id)
  );
  CREATE INDEX marketing_hand_offs_by_time ON marketing_hand_offs (at);

  CREATE TABLE pace (
    provider text PRIMARY KEY,
    next_at timestamptz NOT NULL
  );

  CREATE TABLE destination_domains (
    domain text PRIMARY KEY,
    destination text NOT NULL,
    found_at timestamptz(3) NOT NULL DEFAULT now()
  );

  CREATE TABLE destination_lines (
    provider text NOT NULL,
    destination text NOT NULL,
    project_id uuid NOT NULL,
    lane smallint NOT NULL,
    last_turn_at timestamptz NOT NULL,
    PRIMARY KEY (provider, destination, project_id, lane)
  ) WITH (fillfactor = 50);

  CREATE TABLE slowed_destinations (
    provider text NOT NULL,
    destination text NOT NULL,
    full_rate double precision NOT NULL,
    rate double precision NOT NULL CHECK (rate > 0),
    slowed_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (provider, destination)
  ) WITH (fillfactor = 50);

  CREATE TABLE domain_warm_ups (
    project_id uuid NOT NULL,
    domain text NOT NULL,
    first_day date NOT NULL,
    day date NOT NULL,
    sent integer NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, domain)
  ) WITH (fillfactor = 50);
`;
