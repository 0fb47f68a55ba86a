import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whoever lost an import to another worker is known by the token that it took. */
export class ImportLeases1764500520100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE imports ADD COLUMN lease_token bigint NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE imports DROP COLUMN lease_token`);
  }
}
