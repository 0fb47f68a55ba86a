export const campaignsTables = `
  CREATE TABLE campaigns (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    description text,
    subject text,
    body text,
    template_id uuid,
    from_email text,
    from_name text,
    reply_to text,
    email_category text NOT NULL CHECK (email_category IN ('TRANSACTIONAL', 'MARKETING')),
    audience_type text NOT NULL CHECK (audience_type IN ('ALL', 'FILTERED', 'SEGMENT', 'LIST')),
    audience_condition jsonb,
    segment_id uuid,
    list_id uuid,
    status text NOT NULL CHECK (status IN ('DRAFT', 'SCHEDULED', 'SENDING', 'PAUSED', 'SENT', 'CANCELLED')),
    scheduled_at timestamptz(3),
    sent_at timestamptz(3),
    seq bigint NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    exclude_segment_ids uuid[] NOT NULL DEFAULT '{}',
    exclude_list_ids uuid[] NOT NULL DEFAULT '{}',
    topic_id uuid,
    send_rate integer CHECK (send_rate > 0),
    variants jsonb,
    test jsonb,
    timing jsonb,
    resend_of_id uuid,
    scheduled_from text,
    paused_reason text CHECK (paused_reason IN ('OPERATOR', 'LATE', 'REPUTATION', 'QUOTA', 'RESTORED', 'CONTENT')),
    CHECK ((audience_type <> 'FILTERED') OR (audience_condition IS NOT NULL)),
    CONSTRAINT campaigns_check1 CHECK ((audience_type <> 'SEGMENT') OR (segment_id IS NOT NULL)),
    CONSTRAINT campaigns_check2 CHECK ((audience_type <> 'LIST') OR (list_id IS NOT NULL))
  );
  CREATE INDEX campaigns_by_creation ON campaigns (project_id, created_at DESC, id DESC);
  CREATE INDEX campaigns_by_sending ON campaigns (project_id, sent_at) WHERE sent_at IS NOT NULL;
  ALTER TABLE campaigns ADD PRIMARY KEY (project_id, id);

  CREATE TABLE campaign_counts (
    project_id uuid NOT NULL,
    campaign_id uuid NOT NULL,
    total integer NOT NULL DEFAULT 0,
    in_hand integer NOT NULL DEFAULT 0,
    sent integer NOT NULL DEFAULT 0,
    skipped integer NOT NULL DEFAULT 0,
    failed integer NOT NULL DEFAULT 0,
    delivered integer NOT NULL DEFAULT 0,
    opened integer NOT NULL DEFAULT 0,
    clicked integer NOT NULL DEFAULT 0,
    bounced integer NOT NULL DEFAULT 0,
    complained integer NOT NULL DEFAULT 0,
    unsubscribed integer NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, campaign_id)
  ) WITH (fillfactor = 50);

  CREATE TABLE variant_counts (
    project_id uuid NOT NULL,
    campaign_id uuid NOT NULL,
    variant smallint NOT NULL,
    -- Handed over.
    recipients integer NOT NULL DEFAULT 0,
    sent integer NOT NULL DEFAULT 0,
    opened integer NOT NULL DEFAULT 0,
    clicked integer NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, campaign_id, variant)
  ) WITH (fillfactor = 50);
`;
