import {
  workflowGraphs,
  workflows,
  type Caller,
  type CreateWorkflow,
  type GivenStep,
  type GivenTransition,
  type StepType,
  type Workflow,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import type { WorkflowsSuite } from './workflows-suite.js';

export interface BuiltWorkflow {
  caller: Caller;
  projectId: string;
  id: string;
  trigger: GivenStep;
}

export const newStep = (type: StepType, config: object = {}, name: string = type): GivenStep => ({
  id: newId(),
  name,
  type,
  position: { x: 0, y: 0 },
  config: config as Record<string, unknown>,
});

export const newWay = (from: GivenStep, to: GivenStep, branch?: string): GivenTransition => ({
  id: newId(),
  fromStepId: from.id,
  toStepId: to.id,
  condition: branch === undefined ? null : JSON.stringify({ branch }),
  priority: 0,
});

/** A new workflow, disabled, in a project of its own. */
export async function buildWorkflow(
  suite: WorkflowsSuite,
  wanted: Partial<CreateWorkflow> = {},
): Promise<BuiltWorkflow & { workflow: Workflow }> {
  const { caller, projectId } = suite.buildProject();
  const definition = { name: 'Welcome', triggerType: 'MANUAL', ...wanted } as CreateWorkflow;
  const workflow = await suite.bus.call(workflows.create, caller, definition);
  const { steps } = await suite.bus.call(workflowGraphs.get, caller, { id: workflow.id });
  const { templateId: _, ...trigger } = steps[0]!;
  return { caller, projectId, id: workflow.id, trigger, workflow };
}

/** Executions that run or wait, each at a step that waits for an event; answers their ids. */
export async function buildExecutions(
  { database }: WorkflowsSuite,
  { projectId, id, trigger }: BuiltWorkflow,
  count: number,
  { version = 1, stepId = trigger.id }: { version?: number; stepId?: string } = {},
): Promise<string[]> {
  const made = await database.query<{ id: string }>(
    `INSERT INTO executions (project_id, id, workflow_id, workflow_version, generation, contact_id, status, current_step_id, due_at)
     SELECT $1, gen_random_uuid(), $2, $3, w.generation, gen_random_uuid(), 'WAITING', $4, now() + interval '1 day'
     FROM generate_series(1, $5), workflows w WHERE w.project_id = $1 AND w.id = $2 RETURNING id`,
    [projectId, id, version, stepId, count],
  );
  const ids = made.map((row) => row.id);
  await database.query(
    `INSERT INTO execution_steps (project_id, execution_id, id, step_id, visit, status, entered_at)
     SELECT $1, each, gen_random_uuid(), $3, 1, 'WAITING', now() FROM unnest($2::uuid[]) AS each`,
    [projectId, ids, stepId],
  );
  await database.query(
    `INSERT INTO execution_waits (project_id, contact_id, event_name, execution_id, since, until)
     SELECT $1, e.contact_id, 'purchase', e.id, now(), now() + interval '1 hour' FROM executions e WHERE e.project_id = $1 AND e.id = ANY ($2::uuid[])`,
    [projectId, ids],
  );
  return ids;
}
