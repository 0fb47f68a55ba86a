import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many mails an address got of each kind within a day, under a keyed hash. */
export class SystemMailRecipients1765100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE system_mail_recipients (
        recipient text NOT NULL,
        kind text NOT NULL,
        sent_at timestamptz[] NOT NULL,
        PRIMARY KEY (recipient, kind)
      )`);
    await runner.query(
      `CREATE INDEX auth_users_unconfirmed ON auth_users ("createdAt") WHERE NOT "emailVerified"`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX auth_users_unconfirmed`);
    await runner.query(`DROP TABLE system_mail_recipients`);
  }
}
