import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A return path names an e-mail and no project. The index of each partition is built without blocking writes, so not in a transaction. */
export class IndexEmailIds1764900100000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // The two short steps wait a second at most for their locks, and are tried again.
    await runner.query(`SET lock_timeout = '1s'`);
    await runner.query(`CREATE INDEX IF NOT EXISTS emails_by_id ON ONLY emails (id)`);
    const partitions: { name: string; attached: boolean }[] = await runner.query(`
      SELECT child.relname AS name, EXISTS (
        SELECT FROM pg_index i JOIN pg_inherits attached ON attached.inhrelid = i.indexrelid
        WHERE i.indrelid = child.oid AND attached.inhparent = 'emails_by_id'::regclass
      ) AS attached
      FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid WHERE inhparent = 'emails'::regclass`);
    for (const { name } of partitions.filter(({ attached }) => !attached)) {
      await runner.query(`SET lock_timeout = 0`);
      // What an interrupted build left behind is invalid.
      await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}_by_id`);
      await runner.query(`CREATE INDEX CONCURRENTLY ${name}_by_id ON ${name} (id)`);
      await runner.query(`SET lock_timeout = '1s'`);
      await runner.query(`ALTER INDEX emails_by_id ATTACH PARTITION ${name}_by_id`);
    }
    await runner.query(`SET lock_timeout = 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX emails_by_id`);
  }
}
