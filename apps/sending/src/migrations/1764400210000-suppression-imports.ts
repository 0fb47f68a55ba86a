import { importStatuses } from '@posthorn/contracts';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const oneOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** Lists of addresses that are taken in beside whatever is sent, and suppressions page by page. */
export class SuppressionImports1764400210000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX suppressions_by_creation ON suppressions (project_id, created_at DESC, (md5(email)::uuid) DESC)`,
    );
    await runner.query(`
      CREATE TABLE suppression_imports (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        status text NOT NULL CHECK (status IN (${oneOf(importStatuses)})),
        csv text NOT NULL,
        source text NOT NULL CHECK (source IN ('API', 'DASHBOARD', 'PROVIDER')),
        total integer NOT NULL,
        processed integer NOT NULL DEFAULT 0,
        created integer NOT NULL DEFAULT 0,
        skipped integer NOT NULL DEFAULT 0,
        failed integer NOT NULL DEFAULT 0,
        taken_until timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        finished_at timestamptz(3),
        PRIMARY KEY (project_id, id)
      )`);
    await runner.query(
      `CREATE INDEX suppression_imports_open ON suppression_imports (created_at) WHERE finished_at IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE suppression_imports`);
    await runner.query(`DROP INDEX suppressions_by_creation`);
  }
}
