import { createProjectCounts } from '@posthorn/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists, what their memberships know of confirmation, and how many members each has (docs/decisions/0018). */
export class Lists1764500200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createProjectCounts(runner);
    await this.createLists(runner);
    await this.widenMemberships(runner);
    await this.createCounts(runner);
  }

  async down(): Promise<void> {
    throw new Error('who subscribed to what would be lost');
  }

  private async createLists(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE lists (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        name text NOT NULL,
        description text,
        double_opt_in boolean NOT NULL,
        confirmation_template_id uuid,
        redirect_url text,
        seq bigint NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, id)
      )`);
    await runner.query(`CREATE INDEX lists_by_creation ON lists (project_id, created_at DESC, id DESC)`);
    await runner.query(`
      CREATE TABLE deleted_lists (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        deleted_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, id)
      )`);
  }

  private async widenMemberships(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE memberships
        ADD COLUMN token_hash text COLLATE "C",
        ADD COLUMN token_ends_at timestamptz(3),
        ADD COLUMN token_round bigint NOT NULL DEFAULT 0,
        ADD COLUMN subscribes_contact boolean NOT NULL DEFAULT false,
        ADD CONSTRAINT memberships_id UNIQUE (project_id, id)`);
    await runner.query(
      `CREATE INDEX memberships_by_creation ON memberships (project_id, list_id, created_at DESC, id DESC)`,
    );
    await runner.query(
      `CREATE INDEX memberships_by_status ON memberships (project_id, list_id, status, created_at DESC, id DESC)`,
    );
  }

  private async createCounts(runner: QueryRunner): Promise<void> {
    const counted = `
        pending bigint NOT NULL,
        confirmed bigint NOT NULL,
        unsubscribed bigint NOT NULL`;
    await runner.query(`
      CREATE TABLE list_counts (
        project_id uuid NOT NULL,
        list_id uuid NOT NULL,${counted},
        PRIMARY KEY (project_id, list_id)
      ) WITH (fillfactor = 80)`);
    await runner.query(`
      CREATE TABLE list_count_deltas (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        project_id uuid NOT NULL,
        list_id uuid NOT NULL,${counted}
      ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`);
    await runner.query(`CREATE INDEX list_count_deltas_of_list ON list_count_deltas (project_id, list_id)`);
  }
}
