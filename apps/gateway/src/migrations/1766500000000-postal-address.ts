import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Of the sender, for the end of marketing mail. */
export class PostalAddress1766500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE projects ADD COLUMN postal_address text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE projects DROP COLUMN postal_address`);
  }
}
