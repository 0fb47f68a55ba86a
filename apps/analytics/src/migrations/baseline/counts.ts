import { countKinds, measures } from '../../mail-counts/measures.js';

const counted = (type: string): string =>
  measures.map((measure) => `${measure} ${type} NOT NULL DEFAULT 0`).join(',\n    ');
const kind = `kind text COLLATE "C" NOT NULL CHECK (kind IN (${countKinds.map((each) => `'${each}'`).join(', ')}))`;

const countsTable = (name: string): string => `
  CREATE TABLE ${name} (
    project_id uuid NOT NULL,
    -- Hours of the last 30 days, or days.
    hourly boolean NOT NULL,
    ${kind},
    -- Within which it is counted, such as the campaign of a link.
    owner text COLLATE "C" NOT NULL,
    at timestamptz(0) NOT NULL,
    key text COLLATE "C" NOT NULL,
    ${counted('bigint')}
  ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
  CREATE INDEX ${name}_by_time ON ${name} (hourly, at);
  ALTER TABLE ${name} ADD PRIMARY KEY (project_id, hourly, kind, owner, at, key);
`;

export const countsTables = `
  ${countsTable('mail_counts')}
  -- The same, as far as a rebuild has counted.
  ${countsTable('mail_counts_rebuilt')}

  -- Inserted with the inbox rows of the events, and added to the counts soon (docs/decisions/0046-counters.md).
  CREATE TABLE mail_count_deltas (
    project_id uuid NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    ${kind},
    owner text COLLATE "C" NOT NULL,
    hour timestamptz(0) NOT NULL,
    key text COLLATE "C" NOT NULL,
    -- A rebuild has read its e-mails already, and so counts it as well; only a rebuild counts what is not live.
    rebuilt boolean NOT NULL,
    live boolean NOT NULL,
    ${counted('integer')},
    PRIMARY KEY (project_id, id)
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);

  -- Links of campaigns and tags that are counted apart: the first thousand of each.
  CREATE TABLE counted_keys (
    project_id uuid NOT NULL,
    ${kind},
    owner text COLLATE "C" NOT NULL,
    -- Of the text, which may be too long for an index.
    key text COLLATE "C" NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (project_id, kind, owner, key)
  );

  -- A rebuild under way, and up to which e-mail of the project it has counted.
  CREATE TABLE mail_count_rebuilds (
    project_id uuid PRIMARY KEY,
    after_email uuid NOT NULL
  );
`;
