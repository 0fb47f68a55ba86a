import { actorKinds, auditOutcomes } from '@posthorn/contracts';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const oneOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** Who did what. Events may come late, and of projects that are gone: nothing here refers to another table. */
export class Audit1764200100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE audit_entries (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        created_at timestamptz(3) NOT NULL,
        actor_kind text NOT NULL CHECK (actor_kind IN (${oneOf(actorKinds)})),
        actor_id text NOT NULL,
        actor_name text,
        address text,
        action text NOT NULL,
        resource_type text NOT NULL,
        resource_id text NOT NULL,
        outcome text NOT NULL CHECK (outcome IN (${oneOf(auditOutcomes)})),
        PRIMARY KEY (project_id, id)
      )`);
    await runner.query(`CREATE INDEX audit_newest ON audit_entries (project_id, created_at DESC, id DESC)`);
    await runner.query(
      `CREATE INDEX audit_actor ON audit_entries (project_id, actor_id, created_at DESC, id DESC)`,
    );
    await runner.query(
      `CREATE INDEX audit_action ON audit_entries (project_id, action, created_at DESC, id DESC)`,
    );
  }

  async down(): Promise<void> {
    throw new Error('what was done is not forgotten: restore the database');
  }
}
