import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  segmentUses,
  templateUses,
  workflowGraphs,
  workflows,
  type Caller,
  type WorkflowGraph,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { startWorkflowsSuite, type WorkflowsSuite } from '../testing/workflows-suite.js';

const template = '019b0000-0000-7000-8000-000000000001';
const mailConfig = `{"zebra":1, "templateId":"${template}", "a":{"deepKey":[1.50,null]}, "unknownKey":true}`;

describe('the graph of a workflow', () => {
  let suite: WorkflowsSuite;
  beforeAll(async () => {
    suite = await startWorkflowsSuite();
  });
  afterAll(() => suite.stop());

  const graphOf = (caller: Caller, id: string): Promise<WorkflowGraph> =>
    suite.bus.call(workflowGraphs.get, caller, { id });

  /** A workflow with a mail, a condition and an exit after its trigger. */
  async function buildWorkflow(name = 'Welcome') {
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.bus.call(workflows.create, caller, { name, triggerType: 'MANUAL' });
    const [trigger] = (await graphOf(caller, id)).steps;
    const [mail, exit] = [newId(), newId()];
    await suite.database.query(
      `INSERT INTO workflow_steps (project_id, workflow_id, id, place, name, type, position, config) VALUES
         ($1, $2, $3, 2, 'Mail', 'SEND_EMAIL', '{"y":2,"x":1,"color":"red"}', $5), ($1, $2, $4, 1, 'End', 'EXIT', '{"x":0,"y":0}', '{"reason":"done"}')`,
      [projectId, id, mail, exit, mailConfig],
    );
    await suite.database.query(
      `INSERT INTO workflow_transitions (project_id, workflow_id, id, place, from_step_id, to_step_id, condition, priority) VALUES
         ($1, $2, $3, 1, $5, $6, NULL, 0), ($1, $2, $4, 0, $6, $7, '{"branch":"yes"}', 3)`,
      [projectId, id, newId(), newId(), trigger!.id, mail, exit],
    );
    await suite.database.query(
      `UPDATE workflows SET version = 4, step_count = 3 WHERE project_id = $1 AND id = $2`,
      [projectId, id],
    );
    return { caller, projectId, id, trigger: trigger!.id, mail, exit };
  }

  it('is returned in the order of its document, with configs as they were stored', async () => {
    const { caller, id, trigger, mail, exit } = await buildWorkflow();
    const graph = await graphOf(caller, id);
    expect([graph.workflowId, graph.version]).toEqual([id, 4]);
    expect(graph.steps.map((step) => [step.id, step.type, step.name, step.templateId])).toEqual([
      [trigger, 'TRIGGER', 'Trigger', null],
      [exit, 'EXIT', 'End', null],
      [mail, 'SEND_EMAIL', 'Mail', template],
    ]);
    expect(JSON.stringify(graph.steps[2]!.config)).toBe(JSON.stringify(JSON.parse(mailConfig)));
    expect(JSON.stringify(graph.steps[2]!.position)).toBe('{"y":2,"x":1,"color":"red"}');
    expect(graph.transitions).toEqual([
      {
        id: expect.any(String),
        fromStepId: mail,
        toStepId: exit,
        condition: '{"branch":"yes"}',
        priority: 3,
      },
      { id: expect.any(String), fromStepId: trigger, toStepId: mail, condition: null, priority: 0 },
    ]);
  });

  it('uses the templates of its steps while it is enabled', async () => {
    const { caller, projectId, id } = await buildWorkflow();
    const used = async (requesting = caller) =>
      (await suite.bus.call(templateUses.workflows, requesting, { id: template })).used;
    expect(await used()).toBe(false);
    await suite.database.query(`UPDATE workflows SET enabled = true WHERE project_id = $1 AND id = $2`, [
      projectId,
      id,
    ]);
    expect([await used(), await used(suite.buildProject().caller)]).toEqual([true, false]);
  });

  it('uses the segments of its trigger and its steps while it is enabled', async () => {
    const { caller, projectId, id } = await buildWorkflow();
    const segment = { id: newId(), slugs: ['paying', 'pro-plan'] };
    const names = async (requesting = caller) =>
      (await suite.bus.call(segmentUses.workflows, requesting, segment)).names;
    const set = (columns: string, ...values: unknown[]) =>
      suite.database.query(`UPDATE workflows SET ${columns} WHERE project_id = $1 AND id = $2`, [
        projectId,
        id,
        ...values,
      ]);
    await set(`trigger_type = 'EVENT', event_name = 'segment.pro-plan.entry'`);
    expect(await names()).toEqual([]);
    await set('enabled = true');
    const { name } = await suite.bus.call(workflows.get, caller, { id });
    expect([await names(), await names(suite.buildProject().caller)]).toEqual([[name], []]);
    await set(`event_name = 'segment.another.entry'`);
    expect(await names()).toEqual([]);
    await suite.database.query(
      `UPDATE workflow_steps SET type = 'CONDITION', config = $3 WHERE project_id = $1 AND workflow_id = $2 AND type = 'EXIT'`,
      [projectId, id, JSON.stringify({ field: `segment.${segment.id}`, operator: 'isMemberOf' })],
    );
    expect(await names()).toEqual([name]);
  });

  it('is copied completely with new ids, and the original stays', async () => {
    const { caller, id } = await buildWorkflow('x'.repeat(200));
    const before = await graphOf(caller, id);
    const original = await suite.bus.call(workflows.get, caller, { id });
    const copy = await suite.bus.call(workflows.clone, caller, { id });
    const { id: copyId, name, version, createdAt, updatedAt } = copy;
    expect(copy).toEqual({ ...original, id: copyId, name, version, createdAt, updatedAt });
    expect([name, version, copy.stepCount, copy.enabled]).toEqual([`${'x'.repeat(193)} (copy)`, 1, 3, false]);
    const copied = await graphOf(caller, copyId);
    const ids = ({ steps, transitions }: WorkflowGraph) => [...steps, ...transitions].map((each) => each.id);
    expect(new Set([...ids(before), ...ids(copied)]).size).toBe(10);
    expect(inPositions(copied)).toEqual(inPositions(before));
    expect(await graphOf(caller, id)).toEqual(before);
    await suite.bus.call(workflows.delete, caller, { id });
    expect(await graphOf(caller, copyId)).toEqual(copied);
  });

  it('may use the same ids as another workflow', async () => {
    const { projectId, id, trigger } = await buildWorkflow();
    const other = await buildWorkflow();
    await suite.database.query(
      `INSERT INTO workflow_steps SELECT $1, $2, id, 9, name, 'EXIT', position, config FROM workflow_steps WHERE project_id = $3 AND workflow_id = $4 AND id = $5`,
      [other.projectId, other.id, projectId, id, trigger],
    );
    expect((await graphOf(other.caller, other.id)).steps.map((step) => step.id)).toContain(trigger);
  });
});

/** A graph without its ids. */
function inPositions({ steps, transitions }: WorkflowGraph): unknown[] {
  const location = (id: string) => steps.findIndex((step) => step.id === id);
  return [
    ...steps.map(({ id: _, ...step }) => JSON.stringify(step)),
    ...transitions.map(({ id: _, fromStepId, toStepId, ...rest }) => ({
      from: location(fromStepId),
      to: location(toStepId),
      ...rest,
    })),
  ];
}
