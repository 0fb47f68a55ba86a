import type { MigrationInterface, QueryRunner } from 'typeorm';

/** On its own, because an index that is built without blocking writes cannot be part of a transaction. */
export class IndexHeldMail1764800100000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // What an interrupted build left behind is invalid.
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS deliveries_overdue`);
    await runner.query(
      `CREATE INDEX CONCURRENTLY deliveries_overdue ON deliveries (project_id, due_at) WHERE state = 'HELD'`,
    );
    await runner.query(`ALTER TABLE deliveries VALIDATE CONSTRAINT deliveries_state_check`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX CONCURRENTLY deliveries_overdue`);
  }
}
