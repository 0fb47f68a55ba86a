export const countsTables = `
  -- Half of each page stays free: counting rewrites the rows of today all day long, in place.
  CREATE TABLE daily_counts (
    project_id uuid NOT NULL,
    day date NOT NULL,
    emails bigint NOT NULL DEFAULT 0,
    delivered bigint NOT NULL DEFAULT 0,
    opens bigint NOT NULL DEFAULT 0,
    clicks bigint NOT NULL DEFAULT 0,
    bounces bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (project_id, day)
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
`;
