import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often a message was claimed by a process that ended before it knew what became of it. Few messages are in the index. */
export class CountClaims1764600100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE deliveries ADD COLUMN claims smallint NOT NULL DEFAULT 0`);
    await runner.query(
      `CREATE INDEX deliveries_suspected ON deliveries (lane, due_at) WHERE state = 'QUEUED' AND claims > 0`,
    );
  }

  async down(): Promise<void> {
    throw new Error('nothing is taken away: the release before runs on this table too, and counts no claims');
  }
}
