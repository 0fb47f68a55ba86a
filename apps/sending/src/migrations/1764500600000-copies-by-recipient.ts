import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Copies are few, and what their readers did is summed by address (mail-summaries.read-model.ts); recipients of e-mails are looked up in `emails`. */
export class CopiesByRecipient1764500600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX deliveries_of_copies ON deliveries (project_id, recipient) WHERE position > 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX deliveries_of_copies`);
  }
}
