import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { workflowDocuments, workflowGraphs, workflows, type ImportWorkflow } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { startWorkflowsSuite, type WorkflowsSuite } from '../testing/workflows-suite.js';

let suite: WorkflowsSuite;
beforeAll(async () => {
  suite = await startWorkflowsSuite();
});
afterAll(() => suite.stop());

it('a workflow of another project is not found by any operation', async () => {
  const [mine, theirs] = [suite.buildProject(), suite.buildProject()];
  const made = await suite.bus.call(workflows.create, theirs.caller, {
    name: 'Theirs',
    triggerType: 'MANUAL',
  });
  const { steps, transitions } = await suite.bus.call(workflowGraphs.get, theirs.caller, { id: made.id });
  const { bus } = suite;
  const { caller } = mine;
  const outcome = (call: Promise<unknown>) => call.catch((error: unknown) => error);
  for (const request of [
    (id: string) => bus.call(workflows.get, caller, { id }),
    (id: string) => bus.call(workflows.update, caller, { id, name: 'Mine' }),
    (id: string) => bus.call(workflows.update, caller, { id, enabled: true }),
    (id: string) => bus.call(workflows.delete, caller, { id }),
    (id: string) => bus.call(workflows.clone, caller, { id }),
    (id: string) => bus.call(workflows.resume, caller, { id }),
    (id: string) => bus.call(workflows.pause, caller, { id }),
    (id: string) => bus.call(workflowDocuments.export, caller, { id }),
    (id: string) => bus.call(workflowGraphs.get, caller, { id }),
    (id: string) => bus.call(workflowGraphs.put, caller, { id, steps, transitions }),
    (id: string) => bus.call(workflowGraphs.validate, caller, { id, steps, transitions }),
    (id: string) => bus.call(workflowGraphs.version, caller, { id, version: 1 }),
  ]) {
    const [foreign, random] = [await outcome(request(made.id)), await outcome(request(newId()))];
    expect(foreign).toMatchObject({ kind: 'not_found', code: 'resource_not_found' });
    expect(JSON.stringify(foreign)).toBe(JSON.stringify(random));
  }
  expect(await bus.call(workflows.get, theirs.caller, { id: made.id })).toEqual(made);
  const listed = await bus.call(workflows.list, caller, { withTotal: true });
  expect(listed).toMatchObject({ items: [], total: 0 });
  const published = await suite.database.query(`SELECT 1 FROM outbox WHERE project_id = $1`, [
    mine.projectId,
  ]);
  expect(published).toEqual([]);
});

it('a document carries a workflow to another project, ids included', async () => {
  const [mine, theirs] = [suite.buildProject(), suite.buildProject()];
  const { bus } = suite;
  const { id } = await bus.call(workflows.create, mine.caller, {
    name: 'Welcome',
    description: 'Three mails',
    triggerType: 'EVENT',
    eventName: 'signup',
    allowReentry: true,
    exitWhen: { field: 'customFields.plan', operator: 'equals', value: 'pro' },
  });
  const graph = await bus.call(workflowGraphs.get, mine.caller, { id });
  const exit = {
    id: newId(),
    name: 'End',
    type: 'EXIT' as const,
    position: { x: 1, y: 2 },
    config: { a: [1], reason: 'done' },
  };
  const way = {
    id: newId(),
    fromStepId: graph.steps[0]!.id,
    toStepId: exit.id,
    condition: '{"branch":"yes"}',
    priority: 2,
  };
  await bus.call(workflowGraphs.put, mine.caller, { id, steps: [...graph.steps, exit], transitions: [way] });
  const document = await bus.call(workflowDocuments.export, mine.caller, { id });
  expect(document).toMatchObject({
    format: 'posthorn.workflow/1',
    name: 'Welcome',
    graph: { transitions: [way] },
  });

  const copy = await bus.call(workflowDocuments.import, theirs.caller, document);
  expect(copy).toMatchObject({
    projectId: theirs.projectId,
    enabled: false,
    version: 1,
    stepCount: 2,
    allowReentry: true,
  });
  expect(copy.id).not.toBe(id);
  const { version: _v, ...original } = await bus.call(workflowGraphs.get, mine.caller, { id });
  expect(await bus.call(workflowGraphs.get, theirs.caller, { id: copy.id })).toEqual({
    ...original,
    workflowId: copy.id,
    version: 1,
  });
  expect(await bus.call(workflowDocuments.export, theirs.caller, { id: copy.id })).toEqual(document);
  expect(await bus.call(workflowGraphs.version, theirs.caller, { id: copy.id, version: 1 })).toMatchObject({
    steps: original.steps,
  });
});

it('a document is refused with everything that creating it and putting its graph would refuse', async () => {
  const { caller } = suite.buildProject();
  const trigger = { id: newId(), name: 'Trigger', type: 'TRIGGER' as const, position: {}, config: {} };
  const document: ImportWorkflow = {
    format: 'posthorn.workflow/1',
    name: 'Welcome',
    triggerType: 'SCHEDULE',
    graph: {
      steps: [trigger],
      transitions: [{ id: newId(), fromStepId: trigger.id, toStepId: newId(), condition: null, priority: 0 }],
    },
  };
  const put = (changes: Partial<ImportWorkflow>) =>
    suite.bus.call(workflowDocuments.import, caller, { ...document, ...changes });
  await expect(put({})).rejects.toMatchObject({
    kind: 'invalid',
    details: {
      errors: [
        { path: ['intervalMs'], code: 'required' },
        { path: ['graph', 'transitions', '0', 'toStepId'], code: 'not_found' },
      ],
    },
  });
  const graph = { steps: [trigger], transitions: [] };
  await expect(put({ intervalMs: 60_000, segmentId: newId(), graph })).rejects.toMatchObject({
    details: { errors: [{ path: ['segmentId'], code: 'not_found' }] },
  });
  await expect(put({ format: 'posthorn.workflow/2' as never })).rejects.toMatchObject({ kind: 'invalid' });
  expect((await suite.bus.call(workflows.list, caller, { withTotal: true })).total).toBe(0);
});
