import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The cells of rows that an import refused, so that its report can be corrected and imported again: for some time, and never past an erasure. */
export class ImportRejectedRows1764500600700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE import_rejected_rows (
        project_id uuid NOT NULL,
        import_id uuid NOT NULL,
        line bigint NOT NULL,
        cells jsonb NOT NULL CHECK (jsonb_typeof(cells) = 'array'),
        PRIMARY KEY (project_id, import_id, line)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE import_rejected_rows`);
  }
}
