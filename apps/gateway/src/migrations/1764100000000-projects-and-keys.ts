import { trackings } from '@posthorn/contracts';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const oneOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** What people do with projects and keys: their settings, invitations, and the secrets that wait to be read once. */
export class ProjectsAndKeys1764100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.settleProjects(runner);
    await this.createInvitations(runner);
    await this.createReveals(runner);
  }

  async down(): Promise<void> {
    throw new Error('projects and keys are not taken back: restore the database');
  }

  private async settleProjects(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE projects
        ADD COLUMN tracking text NOT NULL DEFAULT 'ENABLED' CHECK (tracking IN (${oneOf(trackings)})),
        ADD COLUMN region text NOT NULL DEFAULT 'us-east-1',
        ADD COLUMN language text NOT NULL DEFAULT 'en',
        ADD COLUMN created_by uuid REFERENCES auth_users (id) ON DELETE SET NULL`);
    await runner.query(
      `CREATE INDEX projects_creator ON projects (created_by, created_at) WHERE created_by IS NOT NULL`,
    );
  }

  /** One open invitation for an address: the second one takes the first one's place. */
  private async createInvitations(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE invitations (
        project_id uuid NOT NULL REFERENCES projects (id),
        id uuid NOT NULL,
        email text NOT NULL CHECK (email = lower(email)),
        role text NOT NULL CHECK (role IN ('ADMIN', 'MEMBER')),
        token_hash text NOT NULL UNIQUE CHECK (length(token_hash) = 64),
        invited_by uuid REFERENCES auth_users (id) ON DELETE SET NULL,
        created_at timestamptz(3) NOT NULL,
        sent_at timestamptz(3) NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        PRIMARY KEY (project_id, id),
        UNIQUE (project_id, email)
      )`);
  }

  private async createReveals(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE api_key_reveals (
        project_id uuid NOT NULL,
        key_id uuid NOT NULL,
        link_hash text NOT NULL UNIQUE CHECK (length(link_hash) = 64),
        sealed text NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        PRIMARY KEY (project_id, key_id),
        FOREIGN KEY (project_id, key_id) REFERENCES api_keys (project_id, id)
      )`);
    await runner.query(`CREATE INDEX api_key_reveals_expiry ON api_key_reveals (expires_at)`);
  }
}
