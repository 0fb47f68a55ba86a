import type { QueryRunner } from 'typeorm';

export async function createProjectCounts(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE project_counts (
      project_id uuid NOT NULL,
      counted text NOT NULL,
      total bigint NOT NULL,
      PRIMARY KEY (project_id, counted)
    )`);
}
