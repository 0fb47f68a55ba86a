export const membersTables = `
  CREATE TABLE members (
    project_id uuid NOT NULL REFERENCES projects(id),
    user_id uuid NOT NULL REFERENCES auth_users(id) ON DELETE CASCADE,
    role text NOT NULL CHECK (role IN ('OWNER', 'ADMIN', 'MEMBER')),
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (project_id, user_id)
  );
  CREATE INDEX members_user ON members (user_id, project_id);

  -- One open invitation for an address: the second one takes the place of the first.
  CREATE TABLE invitations (
    project_id uuid NOT NULL REFERENCES projects(id),
    id uuid NOT NULL,
    email text NOT NULL CHECK (email = lower(email)),
    role text NOT NULL CHECK (role IN ('ADMIN', 'MEMBER')),
    token_hash text NOT NULL UNIQUE CHECK (length(token_hash) = 64),
    invited_by uuid REFERENCES auth_users(id) ON DELETE SET NULL,
    created_at timestamptz(3) NOT NULL,
    sent_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, email)
  );
  CREATE INDEX invitations_inviter ON invitations (invited_by) WHERE invited_by IS NOT NULL;

  -- Mail of Posthorn itself, from the commit of its cause until sending has accepted it.
  CREATE TABLE system_mails (
    id uuid PRIMARY KEY,
    sealed text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  );

  -- How many mails an address got of each kind within a day, under a keyed hash.
  CREATE TABLE system_mail_recipients (
    recipient text NOT NULL,
    kind text NOT NULL,
    sent_at timestamptz[] NOT NULL,
    PRIMARY KEY (recipient, kind)
  );
`;
