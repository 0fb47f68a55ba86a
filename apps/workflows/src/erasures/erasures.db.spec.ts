import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eraseIn, executions, workflowGraphs, workflows, type WorkflowGraph } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { startWork } from '../work-kinds.js';
import { startWorkflowsSuite, type WorkflowsSuite } from '../testing/workflows-suite.js';

let suite: WorkflowsSuite;
beforeAll(async () => {
  suite = await startWorkflowsSuite();
});
afterAll(() => suite.stop());

it('an erasure replaces the address in steps and transitions, and leaves others unchanged', async () => {
  const { caller, projectId } = suite.buildProject();
  const { id } = await suite.bus.call(workflows.create, caller, { name: 'Welcome', triggerType: 'MANUAL' });
  const graph = (): Promise<WorkflowGraph> => suite.bus.call(workflowGraphs.get, caller, { id });
  const [trigger] = (await graph()).steps;
  const [requesting, other] = [newId(), newId()];
  await suite.database.query(
    `INSERT INTO workflow_steps (project_id, workflow_id, id, place, name, type, position, config) VALUES
       ($1, $2, $3, 1, 'Ask', 'CONDITION', '{}', '{"is":"ANN@example.org"}'), ($1, $2, $4, 2, 'End', 'EXIT', '{}', '{"b":1.50, "a":2}')`,
    [projectId, id, requesting, other],
  );
  await suite.database.query(
    `INSERT INTO workflow_transitions (project_id, workflow_id, id, place, from_step_id, to_step_id, condition, priority)
     VALUES ($1, $2, $3, 0, $4, $5, '{"branch":"ann@example.org"}', 0)`,
    [projectId, id, newId(), trigger!.id, requesting],
  );
  const requested = {
    erasureId: newId(),
    contactId: newId(),
    erasedAt: new Date(),
    email: 'ann@example.org',
  };
  while (!(await suite.bus.call(eraseIn.workflows, caller, requested)).done);
  const { steps, transitions } = await graph();
  expect(steps.find((step) => step.id === requesting)!.config).toEqual({ is: 'erased@erased.invalid' });
  expect(transitions.map(({ condition }) => condition)).toEqual(['{"branch":"erased@erased.invalid"}']);
  const [row] = await suite.database.query(
    `SELECT config::text AS config FROM workflow_steps WHERE id = $1`,
    [other],
  );
  expect(row).toEqual({ config: '{"b":1.50, "a":2}' });
});

it('an erasure takes the person out of starts that are put off, and out of their number', async () => {
  const { caller, projectId } = suite.buildProject();
  const { id } = await suite.bus.call(workflows.create, caller, { name: 'Welcome', triggerType: 'MANUAL' });
  const [contactId, other] = [newId(), newId()];
  const entries = [contactId, other, contactId].map((each) => ({ contactId: each, event: null }));
  const dueAt = new Date(Date.now() + 3_600_000);
  await suite.queue.enqueue(startWork, [
    { projectId, payload: { workflowId: id, entries, putOff: 1 }, dueAt },
    { projectId, payload: { workflowId: id, entries }, dueAt },
  ]);
  await suite.database.query(
    `INSERT INTO workflow_counts (project_id, workflow_id, step_id, counter, value) VALUES ($1, $2, '00000000-0000-0000-0000-000000000000', 'PUT_OFF', 3)`,
    [projectId, id],
  );
  const requested = { erasureId: newId(), contactId, erasedAt: new Date(), email: 'ann@example.org' };
  while (!(await suite.bus.call(eraseIn.workflows, caller, requested)).done);
  expect((await suite.bus.call(executions.stats, caller, { id })).putOff).toBe(1);
  const held = await suite.database.query<{ entries: object[] }>(
    `SELECT payload -> 'entries' AS entries FROM work_items WHERE kind = $1 AND project_id = $2`,
    [startWork.name, projectId],
  );
  const rest = [{ contactId: other, event: null }];
  expect(held).toEqual([{ entries: rest }, { entries: rest }]);
});
