import { createMessagingTables } from '@posthorn/messaging';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateContacts1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createMessagingTables(runner);
    await this.createContacts(runner);
    await this.createSearch(runner);
    await this.createCounts(runner);
  }

  async down(): Promise<void> {
    throw new Error('the first migration is not undone: drop the database');
  }

  /** Addresses compare byte by byte: a new version of the system's collations must not break a unique index. */
  private async createContacts(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE contacts (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        email text COLLATE "C" NOT NULL,
        subscribed boolean NOT NULL,
        custom_fields jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(custom_fields) = 'object'),
        seq bigint NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, id),
        UNIQUE (project_id, email)
      )`);
    await runner.query(
      `CREATE INDEX contacts_by_creation ON contacts (project_id, created_at DESC, id DESC)`,
    );
    await runner.query(
      `CREATE INDEX contacts_by_subscription ON contacts (project_id, subscribed, created_at DESC, id DESC)`,
    );
  }

  /**
   * Both extensions are trusted: the owner of a database may create them. Where a server lacks them, a search without a
   * match reads all contacts of the project (0.3 s for a million), and is right all the same.
   */
  private async createSearch(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DO $$ BEGIN
        CREATE EXTENSION IF NOT EXISTS pg_trgm;
        CREATE EXTENSION IF NOT EXISTS btree_gin;
        CREATE INDEX contacts_by_address_part ON contacts USING gin (project_id, email gin_trgm_ops);
      EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file THEN
        RAISE NOTICE 'searching addresses goes without an index: %', SQLERRM;
      END $$`);
  }

  private async createCounts(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE contact_counts (
        project_id uuid PRIMARY KEY,
        total bigint NOT NULL,
        subscribed bigint NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE contact_count_deltas (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        project_id uuid NOT NULL,
        total integer NOT NULL,
        subscribed integer NOT NULL
      ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`);
    await runner.query(`CREATE INDEX contact_count_deltas_of_project ON contact_count_deltas (project_id)`);
  }
}
