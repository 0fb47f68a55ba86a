import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What destinations ask for, and new domains (docs/decisions/0027-adaptive-pace.md). */
export class AdaptivePace1765500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE slowed_destinations (
        provider text NOT NULL,
        destination text NOT NULL,
        full_rate float8 NOT NULL,
        rate float8 NOT NULL CHECK (rate > 0),
        slowed_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (provider, destination)
      ) WITH (fillfactor = 50)`);
    await runner.query(`
      CREATE TABLE destination_lines (
        provider text NOT NULL,
        destination text NOT NULL,
        project_id uuid NOT NULL,
        lane smallint NOT NULL,
        tail timestamptz NOT NULL,
        PRIMARY KEY (provider, destination, project_id, lane)
      ) WITH (fillfactor = 50)`);
    await runner.query(`ALTER TABLE deliveries ADD COLUMN has_turn boolean NOT NULL DEFAULT false`);
    await runner.query(`
      CREATE TABLE destination_domains (
        domain text PRIMARY KEY,
        destination text NOT NULL,
        found_at timestamptz(3) NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TABLE domain_warm_ups (
        project_id uuid NOT NULL,
        domain text NOT NULL,
        first_day date NOT NULL,
        day date NOT NULL,
        sent integer NOT NULL DEFAULT 0,
        PRIMARY KEY (project_id, domain)
      ) WITH (fillfactor = 50)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE deliveries DROP COLUMN has_turn`);
    for (const table of [
      'domain_warm_ups',
      'destination_domains',
      'destination_lines',
      'slowed_destinations',
    ])
      await runner.query(`DROP TABLE ${table}`);
  }
}
