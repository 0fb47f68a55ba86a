import { engagementKinds, machineReasons } from '@posthorn/contracts';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const oneOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** What readers do with their mail, who wants none, and what projects say of both. */
export class Engagement1764400300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE engagements (
        project_id uuid NOT NULL,
        email_id uuid NOT NULL,
        id uuid NOT NULL,
        kind text NOT NULL CHECK (kind IN (${oneOf(engagementKinds)})),
        position smallint NOT NULL,
        at timestamptz(3) NOT NULL,
        url text,
        user_agent text,
        machine text CHECK (machine IN (${oneOf(machineReasons)})),
        PRIMARY KEY (project_id, email_id, id)
      ) PARTITION BY RANGE (email_id)`);
    await runner.query(`CREATE TABLE engagements_default PARTITION OF engagements DEFAULT`);
    // A row of somebody who opted in again stays, so that an older event does not opt them out once more.
    await runner.query(`
      CREATE TABLE opt_outs (
        project_id uuid NOT NULL,
        email text NOT NULL,
        opted_out boolean NOT NULL,
        contact_id uuid NOT NULL,
        seq bigint NOT NULL,
        since timestamptz(3) NOT NULL DEFAULT now(),
        stranger_at timestamptz(3),
        PRIMARY KEY (project_id, email)
      )`);
    await runner.query(
      `ALTER TABLE project_states ADD COLUMN name text, ADD COLUMN tracking text, ADD COLUMN language text`,
    );
    // What is known of projects lacks them: the next snapshot brings them.
    await runner.query(`UPDATE read_models SET stale_at = now() WHERE name = 'project_states'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE project_states DROP COLUMN name, DROP COLUMN tracking, DROP COLUMN language`,
    );
    await runner.query(`DROP TABLE opt_outs`);
    await runner.query(`DROP TABLE engagements`);
  }
}
