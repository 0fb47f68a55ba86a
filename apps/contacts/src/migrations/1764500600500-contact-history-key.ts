import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One index instead of two: nobody asks for a row of it but through its contact. A contact that enters eight segments writes eight rows. */
export class ContactHistoryKey1764500600500 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE contact_history DROP CONSTRAINT contact_history_pkey`);
    await runner.query(`ALTER TABLE contact_history ADD PRIMARY KEY (project_id, contact_id, id)`);
    await runner.query(`DROP INDEX contact_history_of_contact`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX contact_history_of_contact ON contact_history (project_id, contact_id, id)`,
    );
    await runner.query(`ALTER TABLE contact_history DROP CONSTRAINT contact_history_pkey`);
    await runner.query(`ALTER TABLE contact_history ADD PRIMARY KEY (project_id, id)`);
  }
}
