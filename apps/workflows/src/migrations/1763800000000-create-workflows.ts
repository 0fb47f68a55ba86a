import { stepTypes, triggerTypes } from '@posthorn/contracts';
import { createProjectCounts } from '@posthorn/database';
import { createMessagingTables } from '@posthorn/messaging';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const oneOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

export class CreateWorkflows1763800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createMessagingTables(runner);
    await createProjectCounts(runner);
    await this.createWorkflows(runner);
    await this.createGraphs(runner);
  }

  async down(): Promise<void> {
    throw new Error('the first migration is not undone: drop the database');
  }

  private async createWorkflows(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE workflows (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        name text NOT NULL,
        description text,
        enabled boolean NOT NULL,
        trigger_type text NOT NULL CHECK (trigger_type IN (${oneOf(triggerTypes)})),
        event_name text CHECK ((trigger_type = 'EVENT') = (event_name IS NOT NULL)),
        interval_ms bigint CHECK ((trigger_type = 'SCHEDULE') = (interval_ms IS NOT NULL)),
        allow_reentry boolean NOT NULL,
        max_executions_per_hour bigint CHECK (max_executions_per_hour > 0),
        version integer NOT NULL,
        step_count integer NOT NULL,
        seq bigint NOT NULL DEFAULT 1,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, id)
      )`);
    await runner.query(
      `CREATE INDEX workflows_by_creation ON workflows (project_id, created_at DESC, id DESC)`,
    );
  }

  /** `json` and not `jsonb`: a config is answered exactly as it was stored. Ids are unique inside one workflow only. */
  private async createGraphs(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE workflow_steps (
        project_id uuid NOT NULL,
        workflow_id uuid NOT NULL,
        id uuid NOT NULL,
        place integer NOT NULL,
        name text NOT NULL,
        type text NOT NULL CHECK (type IN (${oneOf(stepTypes)})),
        position json NOT NULL,
        config json NOT NULL,
        PRIMARY KEY (project_id, workflow_id, id),
        FOREIGN KEY (project_id, workflow_id) REFERENCES workflows ON DELETE CASCADE
      )`);
    await runner.query(
      `CREATE UNIQUE INDEX workflow_steps_one_trigger ON workflow_steps (project_id, workflow_id) WHERE type = 'TRIGGER'`,
    );
    await runner.query(`
      CREATE TABLE workflow_transitions (
        project_id uuid NOT NULL,
        workflow_id uuid NOT NULL,
        id uuid NOT NULL,
        place integer NOT NULL,
        from_step_id uuid NOT NULL,
        to_step_id uuid NOT NULL CHECK (to_step_id <> from_step_id),
        condition json,
        priority integer NOT NULL CHECK (priority >= 0),
        PRIMARY KEY (project_id, workflow_id, id),
        FOREIGN KEY (project_id, workflow_id) REFERENCES workflows ON DELETE CASCADE,
        FOREIGN KEY (project_id, workflow_id, from_step_id) REFERENCES workflow_steps ON DELETE CASCADE,
        FOREIGN KEY (project_id, workflow_id, to_step_id) REFERENCES workflow_steps ON DELETE CASCADE
      )`);
  }
}
