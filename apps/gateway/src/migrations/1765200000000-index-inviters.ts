import type { MigrationInterface, QueryRunner } from 'typeorm';

/** On its own, because an index that is built without blocking writes cannot be part of a transaction. */
export class IndexInviters1765200000000 implements MigrationInterface {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    // What an interrupted build left behind is invalid.
    await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS invitations_inviter`);
    await runner.query(
      `CREATE INDEX CONCURRENTLY invitations_inviter ON invitations (invited_by) WHERE invited_by IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX CONCURRENTLY invitations_inviter`);
  }
}
