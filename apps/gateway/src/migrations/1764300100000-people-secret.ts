import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What sessions are signed with, sealed under the installation's key. */
export class PeopleSecret1764300100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE auth_secrets (id uuid PRIMARY KEY, sealed text NOT NULL)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE auth_secrets`);
  }
}
