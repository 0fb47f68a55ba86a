import type { MigrationInterface, QueryRunner } from 'typeorm';

/** So that a repeated step of a workflow does not undo what the person did meanwhile. */
export class AppliedEffects1766600300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE applied_effects (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, id)
      )`);
    await runner.query(`CREATE INDEX applied_effects_by_age ON applied_effects (applied_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE applied_effects`);
  }
}
