import type { MigrationInterface, QueryRunner } from 'typeorm';

/** On its own, because an index that is built without blocking writes cannot be part of a transaction. */
export class IndexMailOverAllowance1765400100000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // What an interrupted build left behind is invalid.
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS deliveries_over_allowance`);
    await runner.query(
      `CREATE INDEX CONCURRENTLY deliveries_over_allowance ON deliveries (project_id, due_at) WHERE state = 'QUEUED' AND waits_for_next_period`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX CONCURRENTLY deliveries_over_allowance`);
  }
}
