import { recordStatuses, regions, emailCategories } from '@posthorn/contracts';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const oneOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');
const status = (name: string) =>
  `${name} text NOT NULL DEFAULT 'NOT_CHECKED' CHECK (${name} IN (${oneOf(recordStatuses)}))`;

/**
 * What the DNS says of a domain, and the keys that sign for it. Whoever was verified before was vouched for by an operator, and stays so.
 * Several projects may claim a host; only one of them has it verified.
 */
export class Domains1764400200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE domains
        ADD COLUMN vouched boolean NOT NULL DEFAULT true,
        ADD COLUMN region text NOT NULL DEFAULT 'us-east-1' CHECK (region IN (${oneOf(regions)})),
        ADD COLUMN stream text CHECK (stream IN (${oneOf(emailCategories)})),
        ADD COLUMN stream_default boolean NOT NULL DEFAULT false CHECK (NOT stream_default OR stream IS NOT NULL),
        ADD COLUMN ${status('spf_status')},
        ADD COLUMN ${status('dmarc_status')},
        ADD COLUMN dmarc_strict boolean NOT NULL DEFAULT false,
        ADD COLUMN mail_from_domain text,
        ADD COLUMN ${status('mail_from_status')},
        ADD COLUMN tracking_host text,
        ADD COLUMN ${status('tracking_status')},
        ADD COLUMN receiving_enabled boolean NOT NULL DEFAULT false,
        ADD COLUMN ${status('receiving_status')},
        ADD COLUMN last_checked_at timestamptz(3),
        ADD COLUMN lost_since timestamptz(3),
        ADD COLUMN next_check_at timestamptz(3),
        ADD COLUMN updated_at timestamptz(3) NOT NULL DEFAULT now()`);
    await runner.query(
      `ALTER TABLE domains ALTER COLUMN vouched SET DEFAULT false, DROP CONSTRAINT domains_domain_key`,
    );
    await runner.query(`CREATE UNIQUE INDEX domains_of_project ON domains (project_id, domain)`);
    await runner.query(`CREATE UNIQUE INDEX domains_verified ON domains (domain) WHERE verified`);
    await runner.query(
      `CREATE UNIQUE INDEX domains_stream_default ON domains (project_id, stream) WHERE stream_default`,
    );
    await runner.query(
      `CREATE INDEX domains_to_check ON domains (next_check_at) WHERE next_check_at IS NOT NULL`,
    );
    await runner.query(`
      CREATE TABLE dkim_keys (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        domain_id uuid NOT NULL,
        selector text NOT NULL,
        algorithm text NOT NULL CHECK (algorithm IN ('rsa', 'ed25519')),
        sealed text NOT NULL,
        public_key text NOT NULL,
        state text NOT NULL CHECK (state IN ('PENDING', 'ACTIVE', 'RETIRING')),
        ${status('record_status')},
        retiring_since timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, id),
        FOREIGN KEY (project_id, domain_id) REFERENCES domains (project_id, id) ON DELETE CASCADE
      )`);
    await runner.query(`CREATE INDEX dkim_keys_of_domain ON dkim_keys (project_id, domain_id)`);
    // One key of each kind signs, and one waits to.
    await runner.query(
      `CREATE UNIQUE INDEX dkim_keys_in_place ON dkim_keys (project_id, domain_id, algorithm, state) WHERE state <> 'RETIRING'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE dkim_keys`);
    await runner.query(
      `DROP INDEX domains_of_project, domains_verified, domains_stream_default, domains_to_check`,
    );
    await runner.query(`
      ALTER TABLE domains DROP COLUMN vouched, DROP COLUMN region, DROP COLUMN stream, DROP COLUMN stream_default, DROP COLUMN spf_status,
        DROP COLUMN dmarc_status, DROP COLUMN dmarc_strict, DROP COLUMN mail_from_domain, DROP COLUMN mail_from_status, DROP COLUMN tracking_host,
        DROP COLUMN tracking_status, DROP COLUMN receiving_enabled, DROP COLUMN receiving_status, DROP COLUMN last_checked_at, DROP COLUMN lost_since,
        DROP COLUMN next_check_at, DROP COLUMN updated_at`);
    await runner.query(`ALTER TABLE domains ADD CONSTRAINT domains_domain_key UNIQUE (domain)`);
  }
}
