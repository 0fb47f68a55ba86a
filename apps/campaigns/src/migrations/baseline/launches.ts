export const launchesTables = `
  CREATE TABLE launches (
    project_id uuid NOT NULL,
    campaign_id uuid NOT NULL,
    content_id uuid NOT NULL,
    variant_contents uuid[] NOT NULL DEFAULT '{}',
    winner smallint,
    decided_by text CHECK (decided_by IN ('OPENS', 'CLICKS', 'MANUAL', 'FIRST')),
    subject text NOT NULL,
    from_email text NOT NULL,
    tracks_opens boolean NOT NULL DEFAULT true,
    launched_at timestamptz(3) NOT NULL DEFAULT now(),
    frozen_to uuid,
    is_frozen boolean NOT NULL DEFAULT false,
    next_due_at timestamptz,
    archive_id uuid,
    database_identity text NOT NULL DEFAULT '',
    moved_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, campaign_id)
  ) WITH (fillfactor = 50);
  CREATE UNIQUE INDEX launches_archived ON launches (project_id, archive_id) WHERE archive_id IS NOT NULL;

  -- The ledger: one row for each contact of an audience, written when sending starts; it ends with an outcome and a reason.
  CREATE TABLE recipients (
    project_id uuid NOT NULL,
    campaign_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    -- Created with the row, so that handing it over twice sends one e-mail. Rows are handed over and listed in its order.
    email_id uuid NOT NULL,
    email text COLLATE "C" NOT NULL,
    outcome text COLLATE "C" NOT NULL CHECK (outcome IN ('QUEUED', 'SENT', 'SKIPPED', 'FAILED')),
    reason text COLLATE "C",
    handed_over boolean NOT NULL DEFAULT false,
    -- The index of the variant that it gets; null without variants, or until there is a winner.
    variant smallint,
    waits_for_winner boolean NOT NULL DEFAULT false,
    -- With a timing of its campaign; null: at once.
    due_at timestamptz(3),
    time_zone text,
    -- What was reported of its e-mail, as bits (results/report.ts).
    reported_bits smallint NOT NULL DEFAULT 0,
    at timestamptz(3)
  ) WITH (autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 50000);
  CREATE INDEX recipients_by_outcome ON recipients (project_id, campaign_id, outcome, email_id);
  CREATE INDEX recipients_by_reason ON recipients (project_id, campaign_id, reason, email_id) WHERE reason IS NOT NULL;
  CREATE INDEX recipients_due ON recipients (project_id, campaign_id, waits_for_winner, due_at, email_id) WHERE outcome = 'QUEUED' AND (NOT handed_over) AND due_at IS NOT NULL;
  CREATE INDEX recipients_in_hand ON recipients (project_id, campaign_id, email_id) WHERE outcome = 'QUEUED' AND handed_over;
  CREATE INDEX recipients_queued ON recipients (project_id, campaign_id, waits_for_winner, email_id) WHERE outcome = 'QUEUED' AND (NOT handed_over);
  ALTER TABLE recipients ADD PRIMARY KEY (project_id, campaign_id, contact_id);
  -- Results of mail come by its id, in statements whose plan is kept: of indexes that seem equally cheap the newest is taken.
  CREATE UNIQUE INDEX recipients_by_email ON recipients (project_id, campaign_id, email_id);

  -- Pages of an audience that were read before an erasure are written without these.
  CREATE TABLE erased_contacts (
    project_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    erased_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, contact_id)
  );

  CREATE SEQUENCE campaign_mail_states;
`;
