import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { workflowEvents, workflowGraphs, workflows } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { executionWork } from '../work-kinds.js';
import {
  buildExecutions,
  buildWorkflow,
  newStep,
  newWay,
  type BuiltWorkflow,
} from '../testing/workflow-builder.js';
import { startWorkflowsSuite, type WorkflowsSuite } from '../testing/workflows-suite.js';

let suite: WorkflowsSuite;
beforeAll(async () => {
  suite = await startWorkflowsSuite();
});
afterAll(() => suite.stop());

const enable = ({ caller, id }: BuiltWorkflow) => suite.bus.call(workflows.resume, caller, { id });
const pause = ({ caller, id }: BuiltWorkflow) => suite.bus.call(workflows.pause, caller, { id });
const countOf = async (sql: string, values: unknown[]): Promise<number> =>
  (await suite.database.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${sql}`, values))[0]!
    .count;
const running = (projectId: string) =>
  countOf('executions WHERE project_id = $1 AND ended_at IS NULL', [projectId]);
const isDone = (projectId: string, kind: string) =>
  eventually(
    async () => (await countOf(`work_items WHERE project_id = $1 AND kind = $2`, [projectId, kind])) === 0,
    `all work of ${kind} is done`,
  );

it('a pause disables the workflow, answers how many executions it ends, and ends them in batches', async () => {
  const workflow = await buildWorkflow(suite);
  const { projectId, id } = workflow;
  await enable(workflow);
  const ids = await buildExecutions(suite, workflow, 1_203);
  await suite.queue.enqueue(
    executionWork,
    ids.slice(0, 50).map((key) => ({ projectId, key, delayMs: 86_400_000 })),
  );
  const paused = await pause(workflow);
  expect(paused).toMatchObject({ cancelledExecutions: 1_203, workflow: { id, enabled: false } });
  await eventually(async () => (await running(projectId)) === 0, 'all executions have ended');
  await isDone(projectId, 'workflows.cancellations');
  const [ended] = await suite.database.query(
    `SELECT count(*)::int AS count, min(status) AS status, max(status) AS other, min(reason) AS reason
     FROM executions WHERE project_id = $1`,
    [projectId],
  );
  const reason = 'The workflow was paused';
  expect(ended).toEqual({ count: 1_203, status: 'CANCELLED', other: 'CANCELLED', reason });
  expect(await countOf(`execution_waits WHERE project_id = $1`, [projectId])).toBe(0);
  expect(
    await countOf(`execution_steps WHERE project_id = $1 AND status = 'SKIPPED' AND ended_at IS NOT NULL`, [
      projectId,
    ]),
  ).toBe(1_203);
  expect(
    await countOf(`work_items WHERE project_id = $1 AND kind = $2`, [projectId, executionWork.name]),
  ).toBe(0);
  expect(
    await suite.database.query(
      `SELECT counter, sum(value)::int AS value FROM workflow_counts WHERE project_id = $1 AND counter = 'CANCELLED' GROUP BY 1`,
      [projectId],
    ),
  ).toEqual([{ counter: 'CANCELLED', value: 1_203 }]);
});

it('a second pause ends nothing, changes nothing and publishes nothing', async () => {
  const workflow = await buildWorkflow(suite);
  await enable(workflow);
  await buildExecutions(suite, workflow, 2);
  const first = await pause(workflow);
  expect(first.cancelledExecutions).toBe(2);
  expect(await pause(workflow)).toEqual({ ...first, cancelledExecutions: 0 });
  expect(await suite.eventsOf(workflow.projectId, workflowEvents.changed)).toHaveLength(3);
});

it('disabling by an update lets executions go on until a pause', async () => {
  const workflow = await buildWorkflow(suite);
  const { caller, id } = workflow;
  await enable(workflow);
  await buildExecutions(suite, workflow, 3);
  expect(await suite.bus.call(workflows.update, caller, { id, enabled: false })).toMatchObject({
    enabled: false,
  });
  expect(await running(workflow.projectId)).toBe(3);
  expect((await pause(workflow)).cancelledExecutions).toBe(3);
});

it('a resume after a pause revives nothing', async () => {
  const workflow = await buildWorkflow(suite);
  await enable(workflow);
  await buildExecutions(suite, workflow, 4);
  await pause(workflow);
  const resumed = await enable(workflow);
  expect(resumed).toMatchObject({ cancelledExecutions: 0, workflow: { enabled: true } });
  expect((await pause(workflow)).cancelledExecutions).toBe(0);
  await eventually(async () => (await running(workflow.projectId)) === 0, 'all executions have ended');
});

it('a graph is not replaced and a workflow not deleted while executions run, but at once after a pause', async () => {
  const workflow = await buildWorkflow(suite);
  const { caller, id, trigger } = workflow;
  await enable(workflow);
  await buildExecutions(suite, workflow, 700);
  const put = () => suite.bus.call(workflowGraphs.put, caller, { id, steps: [trigger], transitions: [] });
  const conflict = { kind: 'conflict', code: 'conflict' };
  await expect(put()).rejects.toMatchObject(conflict);
  await expect(suite.bus.call(workflows.delete, caller, { id })).rejects.toMatchObject(conflict);
  await pause(workflow);
  expect(await put()).toMatchObject({ version: 2 });
  await suite.bus.call(workflows.delete, caller, { id });
});

it('the executions of a deleted workflow are removed afterwards, and those of others stay', async () => {
  const [workflow, other] = [await buildWorkflow(suite), await buildWorkflow(suite)];
  const { caller, projectId, id } = workflow;
  await buildExecutions(suite, other, 3);
  const ids = await buildExecutions(suite, workflow, 1_100);
  await suite.database.query(
    `INSERT INTO workflow_entries (project_id, workflow_id, contact_id)
     SELECT project_id, workflow_id, contact_id FROM executions WHERE project_id = $1`,
    [projectId],
  );
  await suite.queue.enqueue(executionWork, [{ projectId, key: ids[0]!, delayMs: 86_400_000 }]);
  await pause(workflow);
  await suite.bus.call(workflows.delete, caller, { id });
  await isDone(projectId, 'workflows.removals');
  for (const table of [
    'executions',
    'execution_steps',
    'execution_waits',
    'workflow_entries',
    'workflow_versions',
  ])
    expect([table, await countOf(`${table} WHERE project_id = $1`, [projectId])]).toEqual([table, 0]);
  expect(await running(other.projectId)).toBe(3);
});

it('a step that a new graph omits loses its history, and a step that is kept does not', async () => {
  const workflow = await buildWorkflow(suite);
  const { caller, projectId, id, trigger } = workflow;
  const [gone, kept] = [newStep('EXIT'), newStep('DELAY')];
  const put = (steps: (typeof gone)[]) =>
    suite.bus.call(workflowGraphs.put, caller, {
      id,
      steps: [trigger, ...steps],
      transitions: steps.map((step) => newWay(trigger, step)),
    });
  const { version } = await put([gone, kept]);
  await buildExecutions(suite, workflow, 1_500, { version, stepId: gone.id });
  await pause(workflow);
  await eventually(async () => (await running(projectId)) === 0, 'all executions have ended');
  const [execution] = await buildExecutions(suite, workflow, 1, { version, stepId: kept.id });
  await suite.database.query(
    `UPDATE executions SET status = 'COMPLETED', ended_at = now(), due_at = NULL WHERE project_id = $1 AND id = $2`,
    [projectId, execution],
  );
  await put([kept, newStep('EXIT', {}, newId())]);
  await isDone(projectId, 'workflows.histories');
  const left = await suite.database.query(
    `SELECT DISTINCT step_id AS "stepId" FROM execution_steps WHERE project_id = $1`,
    [projectId],
  );
  expect(left).toEqual([{ stepId: kept.id }]);
  expect(await countOf('executions WHERE project_id = $1', [projectId])).toBe(1_501);
});
