import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is left of people who were erased, and how their mail is found. */
export class Erasures1764500510000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`SET LOCAL statement_timeout = 0`);
    await runner.query(`CREATE TABLE erasure_secrets (id uuid PRIMARY KEY, sealed text NOT NULL)`);
    await runner.query(`
      CREATE TABLE erased_addresses (
        project_id uuid NOT NULL,
        email text NOT NULL,
        contact_id uuid NOT NULL,
        erased_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, email)
      )`);
    // Mail is found by whom it is to; who was sent a copy stands in the queue only, and few rows of it are copies.
    await runner.query(
      `CREATE INDEX deliveries_of_copies ON deliveries (project_id, recipient) WHERE position > 0`,
    );
    await runner.query(
      `CREATE INDEX suppressions_of_erased ON suppressions (project_id) WHERE email LIKE '%@erased.invalid'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX suppressions_of_erased, deliveries_of_copies`);
    await runner.query(`DROP TABLE erased_addresses, erasure_secrets`);
  }
}
