export const templatesTables = `
  CREATE TABLE templates (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    description text,
    subject text NOT NULL,
    body text NOT NULL,
    format text NOT NULL CHECK (format IN ('html', 'mjml')),
    from_email text,
    from_name text,
    reply_to text,
    email_category text NOT NULL CHECK (email_category IN ('TRANSACTIONAL', 'MARKETING')),
    version integer NOT NULL DEFAULT 1,
    includes text[] NOT NULL,
    liquid boolean NOT NULL,
    seq bigint NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX templates_by_creation ON templates (project_id, created_at DESC, id DESC);
  ALTER TABLE templates ADD PRIMARY KEY (project_id, id);

  CREATE TABLE template_versions (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    template_id uuid NOT NULL,
    version integer NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    format text NOT NULL CHECK (format IN ('html', 'mjml')),
    from_email text,
    from_name text,
    reply_to text,
    html text,
    created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (project_id, id),
    UNIQUE (project_id, template_id, version)
  );

  CREATE TABLE snippets (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    description text,
    body text NOT NULL,
    version_id uuid NOT NULL,
    includes text[] NOT NULL,
    seq bigint NOT NULL DEFAULT 1,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX snippets_by_creation ON snippets (project_id, created_at DESC, id DESC);
  ALTER TABLE snippets ADD PRIMARY KEY (project_id, id);
  ALTER TABLE snippets ADD UNIQUE (project_id, name);

  -- Versions are immutable and outlive the snippet, because accepted mail may still be rendered from them.
  CREATE TABLE snippet_versions (
    project_id uuid NOT NULL,
    id uuid NOT NULL,
    snippet_id uuid NOT NULL,
    body text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (project_id, id)
  );
`;
