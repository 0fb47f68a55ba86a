import type { QueryRunner } from 'typeorm';

/** Called by a migration of each service with a `CountedRepository`. */
export async function createProjectCounts(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE project_counts (
      project_id uuid NOT NULL,
      counted text NOT NULL,
      total bigint NOT NULL,
      PRIMARY KEY (project_id, counted)
    )`);
}
