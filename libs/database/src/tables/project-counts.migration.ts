export const projectCountsTable = `
  CREATE TABLE project_counts (
    project_id uuid NOT NULL,
    counted text NOT NULL,
    total bigint NOT NULL,
    PRIMARY KEY (project_id, counted)
  );
`;
