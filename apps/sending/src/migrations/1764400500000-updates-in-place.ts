import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The usual outcome of a message is written in place (heap-only), because no index names a column that changes with it: an index
 * that names `status` in its predicate got every outcome a new entry in all indexes of the table (docs/decisions/0010).
 * Postgres writes the whole table anew for the column: for as long as that takes sends wait, and its room is needed twice.
 */
export class UpdatesInPlace1764400500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL statement_timeout = 0`);
    await runner.query(`DROP INDEX emails_by_rare_status`);
    const partitions: { name: string }[] = await runner.query(
      `SELECT child.relname AS name FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid WHERE inhparent = 'emails'::regclass`,
    );
    for (const { name } of partitions) await runner.query(`ALTER TABLE ${name} SET (fillfactor = 80)`);
    await runner.query(`ALTER TABLE emails ADD COLUMN rare_status text
      GENERATED ALWAYS AS (CASE WHEN status NOT IN ('PENDING', 'SENT', 'DELIVERED') THEN status END) STORED`);
    await runner.query(`CREATE INDEX emails_by_rare_status ON emails (project_id, rare_status, created_at DESC, id DESC)
      WHERE rare_status IS NOT NULL`);
  }

  async down(): Promise<void> {
    throw new Error(
      'nothing is taken away: the release before runs on this table too, and looks longer for a rare status',
    );
  }
}
