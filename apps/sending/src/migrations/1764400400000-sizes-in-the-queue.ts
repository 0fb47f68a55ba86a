import type { MigrationInterface, QueryRunner } from 'typeorm';

export class SizesInTheQueue1764400400000 implements MigrationInterface {
  /** With its size in the index a claim passes over a large message without a look at its row (docs/decisions/0017). */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX deliveries_queued_sized ON deliveries (lane, project_id, due_at, bytes) WHERE state = 'QUEUED'`,
    );
    await runner.query(`DROP INDEX deliveries_queued`);
    await runner.query(`ALTER INDEX deliveries_queued_sized RENAME TO deliveries_queued`);
  }

  async down(): Promise<void> {
    throw new Error('nothing is taken away: the release before runs on this index too');
  }
}
