import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A list is joined by a call or by a table, and what happened to a contact says which. */
export class HistorySources1764500520000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE contact_history ADD COLUMN source text COLLATE "C"`);
    await runner.query(`COMMENT ON COLUMN contact_history.source IS 'IMPORT where a table brought it'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE contact_history DROP COLUMN source`);
  }
}
