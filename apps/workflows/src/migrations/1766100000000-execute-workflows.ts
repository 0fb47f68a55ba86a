import { executionStatuses } from '@posthorn/contracts';
import { createWorkTables } from '@posthorn/work';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const oneOf = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/** Versions of graphs and executions (docs/decisions/0030-workflows.md). */
export class ExecuteWorkflows1766100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createWorkTables(runner);
    await this.createVersions(runner);
    await this.createExecutions(runner);
    await this.createSteps(runner);
    await this.createStarts(runner);
  }

  async down(): Promise<void> {
    throw new Error('who went through which workflow would be forgotten');
  }

  /** `json` and not `jsonb`: a graph is answered exactly as it was put. */
  private async createVersions(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE workflows ADD COLUMN generation integer NOT NULL DEFAULT 1`);
    await runner.query(
      `ALTER TABLE workflows ADD COLUMN segment_id uuid CHECK (trigger_type = 'SCHEDULE' OR segment_id IS NULL)`,
    );
    await runner.query(`ALTER TABLE workflows ADD COLUMN paused_at timestamptz(3)`);
    await runner.query(`ALTER TABLE workflows ADD COLUMN exit_when jsonb`);
    await runner.query(`
      CREATE TABLE workflow_versions (
        project_id uuid NOT NULL,
        workflow_id uuid NOT NULL,
        version integer NOT NULL,
        graph json NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, workflow_id, version),
        FOREIGN KEY (project_id, workflow_id) REFERENCES workflows ON DELETE CASCADE
      )`);
    await runner.query(`
      INSERT INTO workflow_versions (project_id, workflow_id, version, graph)
      SELECT w.project_id, w.id, w.version, json_build_object(
        'steps', (SELECT json_agg(json_build_object('id', s.id, 'name', s.name, 'position', s.position, 'type', s.type, 'config', s.config) ORDER BY s.place)
          FROM workflow_steps s WHERE s.project_id = w.project_id AND s.workflow_id = w.id),
        'transitions', (SELECT coalesce(json_agg(json_build_object('id', t.id, 'fromStepId', t.from_step_id, 'toStepId', t.to_step_id,
          'condition', t.condition::text, 'priority', t.priority) ORDER BY t.place), '[]')
          FROM workflow_transitions t WHERE t.project_id = w.project_id AND t.workflow_id = w.id))
      FROM workflows w`);
  }

  /** Executions and entries have no foreign key: a workflow with a million of them is deleted at once, and they in batches. */
  private async createExecutions(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE executions (
        project_id uuid NOT NULL,
        id uuid NOT NULL,
        workflow_id uuid NOT NULL,
        workflow_version integer NOT NULL,
        generation integer NOT NULL,
        contact_id uuid NOT NULL,
        status text NOT NULL CHECK (status IN (${oneOf(executionStatuses)})),
        reason text,
        current_step_id uuid,
        visits jsonb NOT NULL DEFAULT '{}',
        wait text CHECK (wait IN ('TIME', 'EVENT', 'WEBHOOK')),
        due_at timestamptz,
        entered_at timestamptz(3) NOT NULL DEFAULT now(),
        turn integer NOT NULL DEFAULT 0,
        context jsonb NOT NULL DEFAULT '{}',
        event jsonb,
        started_at timestamptz(3) NOT NULL DEFAULT now(),
        ended_at timestamptz(3),
        PRIMARY KEY (project_id, id),
        CHECK ((ended_at IS NULL) = (due_at IS NOT NULL)),
        CHECK ((status IN ('RUNNING', 'WAITING')) = (ended_at IS NULL))
      )`);
    await runner.query(
      `CREATE INDEX executions_by_start ON executions (project_id, workflow_id, started_at DESC, id DESC)`,
    );
    await runner.query(
      `CREATE INDEX executions_by_status ON executions (project_id, workflow_id, status, started_at DESC, id DESC)`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX executions_one_at_a_time ON executions (project_id, workflow_id, generation, contact_id) INCLUDE (id) WHERE ended_at IS NULL`,
    );
    await runner.query(`CREATE INDEX executions_by_contact ON executions (project_id, contact_id)`);
  }

  /** Without foreign keys: a check for each row cost a fifth of the engine, and much more while a table that was small is planned as such. */
  private async createSteps(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE execution_steps (
        project_id uuid NOT NULL,
        execution_id uuid NOT NULL,
        id uuid NOT NULL,
        step_id uuid NOT NULL,
        visit integer NOT NULL,
        status text NOT NULL CHECK (status IN ('WAITING', 'DONE', 'FAILED', 'SKIPPED')),
        entered_at timestamptz(3) NOT NULL,
        due_at timestamptz(3),
        ended_at timestamptz(3),
        branch text,
        input jsonb,
        output jsonb,
        error text,
        PRIMARY KEY (project_id, execution_id, id),
        UNIQUE (project_id, execution_id, step_id, visit)
      )`);
    await runner.query(`
      CREATE TABLE execution_waits (
        project_id uuid NOT NULL,
        contact_id uuid NOT NULL,
        event_name text NOT NULL,
        execution_id uuid NOT NULL,
        since timestamptz NOT NULL,
        until timestamptz NOT NULL,
        met_by uuid,
        met_data jsonb,
        PRIMARY KEY (project_id, contact_id, event_name, execution_id)
      )`);
    await runner.query(`CREATE INDEX execution_waits_by_name ON execution_waits (project_id, event_name)`);
    await runner.query(
      `CREATE INDEX execution_waits_by_execution ON execution_waits (project_id, execution_id)`,
    );
    await runner.query(`
      CREATE TABLE awaited_events (
        project_id uuid NOT NULL,
        contact_id uuid NOT NULL,
        event_name text NOT NULL,
        event_id uuid NOT NULL,
        at timestamptz NOT NULL,
        data jsonb,
        arrived_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (project_id, contact_id, event_name, event_id)
      )`);
    await runner.query(`CREATE INDEX awaited_events_by_arrival ON awaited_events (arrived_at)`);
    await runner.query(
      `CREATE INDEX workflow_steps_waiting ON workflow_steps (project_id, (config->>'eventName')) WHERE type = 'WAIT_FOR_EVENT'`,
    );
    await runner.query(
      `CREATE INDEX workflow_steps_conditions ON workflow_steps (project_id) WHERE type = 'CONDITION'`,
    );
    await runner.query(
      `CREATE INDEX workflow_steps_by_template ON workflow_steps (project_id, (lower(config->>'templateId'))) WHERE type = 'SEND_EMAIL'`,
    );
  }

  private async createStarts(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE workflow_entries (
        project_id uuid NOT NULL,
        workflow_id uuid NOT NULL,
        contact_id uuid NOT NULL,
        PRIMARY KEY (project_id, workflow_id, contact_id)
      )`);
    await runner.query(
      `CREATE INDEX workflows_by_trigger ON workflows (project_id, event_name) WHERE enabled AND trigger_type = 'EVENT'`,
    );
    await runner.query(
      `CREATE INDEX work_items_starts ON work_items (project_id) WHERE kind = 'workflows.starts'`,
    );
    await runner.query(`
      CREATE TABLE workflow_hours (
        project_id uuid NOT NULL,
        workflow_id uuid NOT NULL,
        hour timestamptz NOT NULL,
        started integer NOT NULL,
        PRIMARY KEY (project_id, workflow_id, hour),
        FOREIGN KEY (project_id, workflow_id) REFERENCES workflows ON DELETE CASCADE
      )`);
    await runner.query(`
      CREATE TABLE workflow_counts (
        project_id uuid NOT NULL,
        workflow_id uuid NOT NULL,
        step_id uuid NOT NULL,
        counter text NOT NULL,
        value bigint NOT NULL,
        PRIMARY KEY (project_id, workflow_id, step_id, counter),
        FOREIGN KEY (project_id, workflow_id) REFERENCES workflows ON DELETE CASCADE
      )`);
  }
}
