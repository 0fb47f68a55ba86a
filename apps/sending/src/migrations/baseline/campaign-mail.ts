export const campaignMailTables = `
  CREATE TABLE campaign_contents (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    campaign_id uuid NOT NULL,
    accepted_by text NOT NULL,
    from_email text NOT NULL,
    from_name text,
    category text NOT NULL CHECK (category IN ('TRANSACTIONAL', 'MARKETING')),
    subject text NOT NULL,
    html text NOT NULL,
    reply_to jsonb,
    template_id uuid,
    template_version integer,
    liquid boolean NOT NULL,
    snippets jsonb,
    track_opens boolean NOT NULL,
    track_clicks boolean NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    list_id uuid,
    topic_id uuid,
    PRIMARY KEY (project_id, id)
  );

  -- Whether mail of a campaign may be handed to the mail server; read by every mark.
  CREATE TABLE campaign_states (
    project_id uuid NOT NULL,
    campaign_id uuid NOT NULL,
    state text NOT NULL CHECK (state IN ('SENDING', 'PAUSED', 'CANCELLED')),
    seq bigint NOT NULL,
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (project_id, campaign_id)
  );
`;
