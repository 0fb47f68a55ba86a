import type { MigrationInterface, QueryRunner } from 'typeorm';

/** People who are to be forgotten everywhere, and the hashes that keep what is told of them late from bringing them back (docs/decisions/0018). */
export class Erasures1764500500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE erasures (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        sealed text,
        answers jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(answers) = 'object'),
        tries integer NOT NULL DEFAULT 0,
        due_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        completed_at timestamptz(3),
        PRIMARY KEY (project_id, id),
        CHECK ((sealed IS NULL) = (completed_at IS NOT NULL))
      ) WITH (fillfactor = 70)`);
    await runner.query(`CREATE INDEX erasures_due ON erasures (due_at) WHERE completed_at IS NULL`);
    await runner.query(`COMMENT ON COLUMN erasures.id IS 'of the contact that was deleted'`);
    await runner.query(
      `COMMENT ON COLUMN erasures.answers IS 'the instants at which services were done, by their names'`,
    );
    await runner.query(`
      CREATE TABLE tombstones (
        project_id uuid NOT NULL,
        address_hash bytea NOT NULL,
        erased_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        PRIMARY KEY (project_id, address_hash)
      )`);
    await runner.query(`CREATE INDEX tombstones_by_age ON tombstones (project_id, erased_at)`);
    await runner.query(`CREATE TABLE erasure_secrets (id uuid PRIMARY KEY, sealed text NOT NULL)`);
  }

  async down(): Promise<void> {
    throw new Error('who was erased would come back');
  }
}
