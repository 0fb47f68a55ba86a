import type { MigrationInterface, QueryRunner } from 'typeorm';

const indexes = {
  executions_by_end: `executions (ended_at) WHERE ended_at IS NOT NULL`,
  // Few, and looked for when somebody is erased.
  work_items_fan_outs: `work_items (project_id) WHERE kind = 'workflows.fan-outs'`,
};

/** On their own, because an index that is built without blocking writes cannot be part of a transaction. */
export class IndexLargeWorkflowTables1766600600000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(indexes)) {
      // What an interrupted build left behind is invalid.
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
      await runner.query(`CREATE INDEX CONCURRENTLY ${name} ON ${columns}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(indexes)) await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
  }
}
