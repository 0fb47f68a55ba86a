import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Texts of steps, rendered apart from the engine (docs/decisions/0037-rendering-and-fan-out.md). */
export class RenderApart1766600200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE step_texts (
        project_id uuid NOT NULL,
        execution_id uuid NOT NULL,
        effect_id uuid,
        texts jsonb,
        error text,
        requested_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, execution_id)
      )`);
    await runner.query(
      `CREATE INDEX step_texts_pending ON step_texts (project_id, requested_at, execution_id) WHERE effect_id IS NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE step_texts`);
  }
}
