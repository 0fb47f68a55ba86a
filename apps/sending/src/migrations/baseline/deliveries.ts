export const deliveriesTables = `
  -- One row for each recipient, so that a partial acceptance never sends to an accepted recipient again.
  CREATE TABLE deliveries (
    project_id uuid NOT NULL,
    email_id uuid NOT NULL,
    position smallint NOT NULL DEFAULT 0,
    recipient text NOT NULL,
    lane smallint NOT NULL CHECK (lane IN (0, 1)),
    state text NOT NULL CHECK (state IN ('QUEUED', 'HELD', 'CLAIMED', 'HANDOFF', 'AMBIGUOUS', 'SENT', 'BOUNCED', 'FAILED', 'CANCELLED')),
    due_at timestamptz(3) NOT NULL DEFAULT now(),
    expires_at timestamptz(3) NOT NULL,
    -- Those that lengthen the retry delay: one that failed because of the mail server or the connection does not.
    attempts smallint NOT NULL DEFAULT 0,
    -- Raised by every claim; writes with an older token change nothing.
    lease_token bigint NOT NULL DEFAULT 0,
    worker_id uuid,
    bytes integer NOT NULL,
    trace text,
    variables jsonb,
    claims smallint NOT NULL DEFAULT 0,
    resends smallint NOT NULL DEFAULT 0,
    -- What the mail server and the provider have reported so far, as bits (provider-events/reported.ts).
    reported_bits smallint NOT NULL DEFAULT 0,
    -- It counts towards the usage of its project: set at its first mark.
    uses_allowance boolean NOT NULL DEFAULT false,
    -- Kept back by an allowance, a warm-up, quiet hours or its paused campaign; when it becomes due, a new delivery window
    -- begins.
    waits_for_next_period boolean NOT NULL DEFAULT false,
    -- Queued until its turn at a slowed destination.
    has_turn boolean NOT NULL DEFAULT false,
    campaign_id uuid,
    -- Hours of each day in which it does not leave: they begin at the time of day of quiet_from and last quiet_seconds; null
    -- without them.
    quiet_from timestamptz(3),
    quiet_seconds integer,
    -- When the clocks of the recipient change: from then on the hours begin quiet_shift_seconds earlier.
    quiet_shift_at timestamptz(3),
    quiet_shift_seconds integer
  ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
  CREATE INDEX deliveries_ambiguous ON deliveries (due_at) WHERE state = 'AMBIGUOUS';
  CREATE INDEX deliveries_by_worker ON deliveries (worker_id) WHERE state IN ('CLAIMED', 'HANDOFF');
  CREATE INDEX deliveries_of_copies ON deliveries (project_id, recipient) WHERE "position" > 0;
  CREATE INDEX deliveries_over_allowance ON deliveries (project_id, due_at) WHERE state = 'QUEUED' AND waits_for_next_period;
  CREATE INDEX deliveries_overdue ON deliveries (project_id, due_at) WHERE state = 'HELD';
  CREATE INDEX deliveries_queued ON deliveries (lane, project_id, due_at, bytes) WHERE state = 'QUEUED';
  CREATE INDEX deliveries_suspected ON deliveries (lane, due_at) WHERE state = 'QUEUED' AND claims > 0;
  ALTER TABLE deliveries ADD PRIMARY KEY (project_id, email_id, "position");

  CREATE TABLE workers (
    id uuid PRIMARY KEY,
    expires_at timestamptz NOT NULL
  );

  -- One row: which database this is, and when a worker last used it.
  CREATE TABLE installation (
    singleton boolean DEFAULT true PRIMARY KEY CHECK (singleton),
    -- The cluster and the database: a restored dump has another one, a physical copy the same.
    database_identity text NOT NULL,
    alive_at timestamptz(3) NOT NULL DEFAULT now(),
    -- While overdue mail is being held: what became due before.
    hold_before timestamptz(3)
  );

  -- One row: how many deliveries are due, which one process counts for all.
  CREATE TABLE due_counts (
    singleton boolean DEFAULT true PRIMARY KEY CHECK (singleton),
    due integer NOT NULL DEFAULT 0,
    count_again_at timestamptz NOT NULL DEFAULT '-infinity'
  );
  INSERT INTO due_counts DEFAULT VALUES;

  -- A marketing message that was handed off, of a project that limits how many a recipient gets.
  CREATE TABLE marketing_hand_offs (
    project_id uuid NOT NULL,
    -- As erased addresses are stored, so that nothing personal remains in it.
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

  -- The destination of a domain, from its MX records.
  CREATE TABLE destination_domains (
    domain text PRIMARY KEY,
    destination text NOT NULL,
    found_at timestamptz(3) NOT NULL DEFAULT now()
  );

  -- What waits for a slowed destination stands in lines, one for each project and lane.
  CREATE TABLE destination_lines (
    provider text NOT NULL,
    destination text NOT NULL,
    project_id uuid NOT NULL,
    lane smallint NOT NULL,
    last_turn_at timestamptz NOT NULL,
    PRIMARY KEY (provider, destination, project_id, lane)
  ) WITH (fillfactor = 50);

  -- A destination that asked to slow down; * is all mail (docs/decisions/0027-adaptive-pace.md).
  CREATE TABLE slowed_destinations (
    provider text NOT NULL,
    destination text NOT NULL,
    -- At which it counts as recovered.
    full_rate double precision NOT NULL,
    -- Messages a second when it was last slowed down.
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
