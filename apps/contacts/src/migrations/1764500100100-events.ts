import { createIdempotencyKeys } from '@posthorn/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What contacts did: events by the week in which they were recorded, and how often each name was. */
export class Events1764500100100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createIdempotencyKeys(runner);
    await runner.query(`
      CREATE TABLE events (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        contact_id uuid NOT NULL,
        name text COLLATE "C" NOT NULL,
        email_id uuid,
        payload jsonb NOT NULL,
        occurred_at timestamptz(3) NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, id)
      ) PARTITION BY RANGE (id)`);
    await runner.query(`CREATE INDEX events_of_contact ON events (project_id, contact_id, id)`);
    await runner.query(`CREATE INDEX events_by_name ON events (project_id, name, id)`);
    await this.createCounts(runner);
  }

  async down(): Promise<void> {
    throw new Error('what was recorded of contacts would be lost');
  }

  private async createCounts(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE event_names (
        project_id uuid NOT NULL,
        name text COLLATE "C" NOT NULL,
        count bigint NOT NULL,
        PRIMARY KEY (project_id, name)
      )`);
    await runner.query(`
      CREATE TABLE event_days (
        project_id uuid NOT NULL,
        day date NOT NULL,
        name text COLLATE "C" NOT NULL,
        count bigint NOT NULL,
        PRIMARY KEY (project_id, day, name)
      )`);
    await runner.query(`
      CREATE TABLE event_count_deltas (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        project_id uuid NOT NULL,
        day date NOT NULL,
        name text COLLATE "C" NOT NULL,
        count integer NOT NULL
      ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`);
    await runner.query(`CREATE INDEX event_count_deltas_of_project ON event_count_deltas (project_id)`);
  }
}
