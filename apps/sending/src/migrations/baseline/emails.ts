export const emailsTables = `
  -- VOIDED is a tombstone: it holds the id of a send whose caller was told that it failed (docs/guarantees.md G2).
  CREATE TABLE emails (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    content_id uuid NOT NULL,
    contact_id uuid,
    from_email text NOT NULL,
    from_name text,
    to_email text NOT NULL,
    to_name text,
    subject text NOT NULL,
    status text NOT NULL CHECK (status IN ('PENDING', 'SENDING', 'SENT', 'DELIVERED', 'DELIVERY_DELAY', 'BOUNCED', 'FAILED', 'REJECTED', 'RENDERING_FAILURE', 'CANCELLED', 'RECEIVED', 'VOIDED')),
    failure_kind text CHECK (failure_kind IN ('suppressed', 'unsubscribed', 'invalid_recipient', 'rendering', 'domain_unverified', 'quota_exhausted', 'provider_paused', 'provider_rejected', 'provider_unavailable', 'hard_bounce', 'expired', 'cancelled', 'project_disabled', 'delivery_unconfirmed', 'frequency_cap')),
    error text,
    source_type text NOT NULL DEFAULT 'TRANSACTIONAL' CHECK (source_type IN ('TRANSACTIONAL', 'CAMPAIGN', 'WORKFLOW', 'INBOUND')),
    tags text[] NOT NULL DEFAULT '{}',
    metadata jsonb NOT NULL DEFAULT '{}',
    opens integer NOT NULL DEFAULT 0,
    clicks integer NOT NULL DEFAULT 0,
    sent_at timestamptz(3),
    delivered_at timestamptz(3),
    bounced_at timestamptz(3),
    opened_at timestamptz(3),
    clicked_at timestamptz(3),
    complained_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    category text NOT NULL DEFAULT 'TRANSACTIONAL' CHECK (category IN ('TRANSACTIONAL', 'MARKETING')),
    header_recipients jsonb,
    template_id uuid,
    scheduled_at timestamptz(3),
    unusual_status text GENERATED ALWAYS AS (CASE WHEN (status NOT IN ('PENDING', 'SENT', 'DELIVERED')) THEN status ELSE NULL::text END) STORED,
    provider_message_id text,
    accepted_by text,
    campaign_id uuid,
    unsubscribed_at timestamptz(3),
    -- Null for other providers of mailboxes.
    destination text CHECK (destination IN ('gmail', 'outlook', 'yahoo', 'icloud'))
  ) PARTITION BY RANGE (id);
  CREATE TABLE emails_default PARTITION OF emails DEFAULT WITH (fillfactor = 80);
  CREATE INDEX emails_by_creation ON emails (project_id, created_at DESC, id DESC);
  CREATE INDEX emails_by_id ON emails (id);
  CREATE INDEX emails_by_unusual_status ON emails (project_id, unusual_status, created_at DESC, id DESC) WHERE unusual_status IS NOT NULL;
  CREATE INDEX emails_by_recipient ON emails (project_id, to_email, created_at DESC, id DESC);
  CREATE INDEX emails_by_tag ON emails USING gin (tags) WHERE tags <> '{}'::text[];
  ALTER TABLE emails ADD PRIMARY KEY (project_id, id);

  CREATE TABLE email_contents (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    html text NOT NULL,
    text text,
    reply_to jsonb,
    headers jsonb,
    subject text,
    template_id uuid,
    template_version integer,
    -- Whether the content is rendered as Liquid: never that of the Postmark-compatible API and of system mails, nor what has
    -- no tags.
    liquid boolean NOT NULL DEFAULT false,
    data jsonb,
    snippets jsonb,
    track_opens boolean NOT NULL DEFAULT false,
    track_clicks boolean NOT NULL DEFAULT false,
    attachments jsonb,
    -- The display name of the sender where it is Liquid; an e-mail has it as it was rendered.
    from_name text,
    -- To which a campaign was sent, and the topic that it is about.
    list_id uuid,
    topic_id uuid,
    PRIMARY KEY (project_id, id)
  ) PARTITION BY RANGE (id);
  CREATE TABLE email_contents_default PARTITION OF email_contents DEFAULT;
  CREATE INDEX email_contents_of_system ON email_contents (id) WHERE (project_id = '01900000-0000-7000-8000-000000000001'::uuid) AND ((html <> '') OR (text IS NOT NULL));

  -- Bytes that are compressed already.
  CREATE TABLE email_attachments (
    project_id uuid NOT NULL,
    content_id uuid NOT NULL,
    position smallint NOT NULL,
    chunk smallint NOT NULL,
    data bytea STORAGE EXTERNAL NOT NULL,
    PRIMARY KEY (project_id, content_id, "position", chunk)
  ) PARTITION BY RANGE (content_id);
  CREATE TABLE email_attachments_default PARTITION OF email_attachments DEFAULT;

  -- The history of an e-mail: one row for each attempt, each later event and the first wait for an allowance or a warm-up.
  -- Partitioned by 30 days.
  CREATE TABLE email_events (
    project_id uuid NOT NULL,
    email_id uuid NOT NULL,
    id uuid NOT NULL,
    status text NOT NULL CHECK (status IN ('PENDING', 'SENDING', 'SENT', 'DELIVERED', 'DELIVERY_DELAY', 'BOUNCED', 'FAILED', 'REJECTED', 'RENDERING_FAILURE', 'CANCELLED', 'RECEIVED')),
    recipient text NOT NULL,
    at timestamptz(3) NOT NULL DEFAULT now(),
    detail text,
    attempt smallint,
    stage text,
    host text,
    tls boolean,
    reply_code smallint,
    duration_ms integer,
    -- Both null for attempts and changes of our own.
    kind text,
    source text,
    PRIMARY KEY (project_id, email_id, id)
  ) PARTITION BY RANGE (email_id);
  CREATE TABLE email_events_default PARTITION OF email_events DEFAULT;

  -- Every pixel fetch and every click, machines included. Partitioned by month of the e-mail.
  CREATE TABLE engagements (
    project_id uuid NOT NULL,
    email_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('OPEN', 'CLICK')),
    position smallint NOT NULL,
    at timestamptz(3) NOT NULL,
    url text,
    user_agent text,
    machine text CHECK (machine IN ('BOT', 'PREFETCH', 'HEAD', 'TOO_SOON')),
    PRIMARY KEY (project_id, email_id, id)
  ) PARTITION BY RANGE (email_id);
  CREATE TABLE engagements_default PARTITION OF engagements DEFAULT;
`;
