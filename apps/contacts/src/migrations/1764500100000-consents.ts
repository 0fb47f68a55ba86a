import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who subscribed or left, when, by which way and on whose word: rows that nobody changes (docs/decisions/0018). */
export class Consents1764500100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE consents (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        contact_id uuid NOT NULL,
        address_hash bytea,
        before boolean,
        after boolean NOT NULL,
        at timestamptz(3) NOT NULL,
        source text COLLATE "C" NOT NULL,
        actor jsonb,
        address text,
        user_agent text,
        text text,
        PRIMARY KEY (project_id, id)
      )`);
    await runner.query(
      `CREATE INDEX consents_of_contact ON consents (project_id, contact_id, at DESC, id DESC)`,
    );
    // Changes find room beside the row: then no index has to be told.
    await runner.query(`ALTER TABLE contacts SET (fillfactor = 85)`);
    await runner.query(
      `COMMENT ON COLUMN consents.address_hash IS 'keyed hash of the contact''s address, once the contact is erased'`,
    );
  }

  async down(): Promise<void> {
    throw new Error('the proof of consents would be lost');
  }
}
