import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a signature that does not cover its report was used for first. */
export class HookSignatures1766400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE hook_signatures (
        token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
        content_hash bytea NOT NULL CHECK (length(content_hash) = 32),
        seen_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX hook_signatures_seen ON hook_signatures (seen_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE hook_signatures`);
  }
}
