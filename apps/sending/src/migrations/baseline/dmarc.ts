export const dmarcTables = `
  -- A repeated report changes nothing (docs/decisions/0050-dmarc.md).
  CREATE TABLE dmarc_reports (
    project_id uuid NOT NULL,
    domain text COLLATE "C" NOT NULL,
    reporter text COLLATE "C" NOT NULL,
    report_id text COLLATE "C" NOT NULL,
    policy text COLLATE "C" NOT NULL CHECK (policy IN ('none', 'quarantine', 'reject')),
    day date NOT NULL,
    received_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX dmarc_reports_by_day ON dmarc_reports (project_id, day);
  CREATE INDEX dmarc_reports_by_receipt ON dmarc_reports (project_id, received_at);
  ALTER TABLE dmarc_reports ADD PRIMARY KEY (project_id, domain, reporter, report_id);

  -- Added up over the reports of a day. Its source is empty for those beyond the largest of a report.
  CREATE TABLE dmarc_sources (
    project_id uuid NOT NULL,
    day date NOT NULL,
    domain text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    signed_by text COLLATE "C" NOT NULL,
    return_path text COLLATE "C" NOT NULL,
    messages bigint NOT NULL,
    passed bigint NOT NULL,
    dkim_aligned bigint NOT NULL,
    spf_aligned bigint NOT NULL,
    quarantined bigint NOT NULL,
    rejected bigint NOT NULL,
    PRIMARY KEY (project_id, day, domain, source, signed_by, return_path)
  );
`;
