import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { workflowEvents, workflowGraphs, workflows, type UpdateWorkflow } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { scheduleWork } from '../work-kinds.js';
import { buildWorkflow, newStep, newWay, type BuiltWorkflow } from '../testing/workflow-builder.js';
import { startWorkflowsSuite, type WorkflowsSuite } from '../testing/workflows-suite.js';

describe('a workflow', () => {
  let suite: WorkflowsSuite;
  beforeAll(async () => {
    suite = await startWorkflowsSuite();
  });
  afterAll(() => suite.stop());

  const resume = ({ caller, id }: BuiltWorkflow) => suite.bus.call(workflows.resume, caller, { id });
  const update = ({ caller, id }: BuiltWorkflow, changes: UpdateWorkflow) =>
    suite.bus.call(workflows.update, caller, { id, ...changes });
  const isEnabled = async ({ caller, id }: BuiltWorkflow) =>
    (await suite.bus.call(workflows.get, caller, { id })).enabled;
  const put = ({ caller, id, trigger }: BuiltWorkflow, steps: ReturnType<typeof newStep>[]) =>
    suite.bus.call(workflowGraphs.put, caller, {
      id,
      steps: [trigger, ...steps],
      transitions: steps.map((step) => newWay(trigger, step)),
    });
  const refused = (...errors: [string, string][]) => ({
    kind: 'invalid',
    code: 'validation_error',
    details: { errors: errors.map(([path, code]) => ({ path: path.split('/'), code })) },
  });
  const dueIn = async ({ projectId, id }: BuiltWorkflow): Promise<number[]> => {
    const rows = await suite.database.query<{ ms: number }>(
      `SELECT round(extract(epoch FROM due_at - now()) / 60)::int AS ms FROM work_items WHERE kind = $1 AND project_id = $2 AND key = $3`,
      [scheduleWork.name, projectId, id],
    );
    return rows.map(({ ms }) => ms);
  };

  it('is enabled by a resume and by an update, and a repeat changes nothing', async () => {
    for (const enable of [
      (each: BuiltWorkflow) => resume(each).then(({ workflow }) => workflow),
      (each: BuiltWorkflow) => update(each, { enabled: true }),
    ]) {
      const built = await buildWorkflow(suite);
      const enabled = await enable(built);
      expect(enabled).toEqual({ ...built.workflow, enabled: true, updatedAt: enabled.updatedAt });
      expect(await enable(built)).toEqual(enabled);
      expect(await suite.eventsOf(built.projectId, workflowEvents.changed)).toHaveLength(2);
    }
  });

  it('is not enabled before every step is configured; each step has a pointer', async () => {
    const built = await buildWorkflow(suite);
    await put(built, [
      newStep('SEND_EMAIL'),
      newStep('WEBHOOK'),
      newStep('DELAY', { amount: 1, unit: 'days' }),
    ]);
    const missing = refused(
      ['steps/1/config/subject', 'required'],
      ['steps/1/config/body', 'required'],
      ['steps/2/config/url', 'required'],
    );
    await expect(resume(built)).rejects.toMatchObject(missing);
    await expect(update(built, { enabled: true, name: 'Other' })).rejects.toMatchObject(missing);
    expect(await isEnabled(built)).toBe(false);
    expect(await update(built, { name: 'Other' })).toMatchObject({ name: 'Other', enabled: false });
  });

  it('is not enabled with a template or a segment that does not exist', async () => {
    const [templateId, segmentId] = [newId(), newId()];
    suite.segments.add(segmentId);
    const built = await buildWorkflow(suite, { triggerType: 'SCHEDULE', intervalMs: 60_000, segmentId });
    await put(built, [newStep('SEND_EMAIL', { templateId: templateId.toUpperCase() })]);
    await expect(resume(built)).rejects.toMatchObject(refused(['steps/1/config/templateId', 'not_found']));
    suite.templates.add(templateId);
    suite.segments.delete(segmentId);
    await expect(resume(built)).rejects.toMatchObject(refused(['segmentId', 'not_found']));
    suite.segments.add(segmentId);
    expect(await resume(built)).toMatchObject({ workflow: { enabled: true }, cancelledExecutions: 0 });
  });

  it('that is enabled keeps a graph that can be executed', async () => {
    const built = await buildWorkflow(suite);
    await resume(built);
    await expect(put(built, [newStep('WEBHOOK')])).rejects.toMatchObject(
      refused(['steps/1/config/url', 'required']),
    );
    await expect(put(built, [newStep('SEND_EMAIL', { templateId: newId() })])).rejects.toMatchObject(
      refused(['steps/1/config/templateId', 'not_found']),
    );
    expect(await put(built, [newStep('EXIT')])).toMatchObject({ version: 2 });
    expect(await isEnabled(built)).toBe(true);
  });

  it('with a schedule starts one interval after it is enabled, and never while it is not', async () => {
    const built = await buildWorkflow(suite, { triggerType: 'SCHEDULE', intervalMs: 600_000 });
    expect(await dueIn(built)).toEqual([]);
    await resume(built);
    expect(await dueIn(built)).toEqual([10]);
    await update(built, { name: 'Other' });
    await update(built, { intervalMs: 1_200_000 });
    expect(await dueIn(built)).toEqual([20]);
    await update(built, { triggerType: 'MANUAL' });
    expect(await dueIn(built)).toEqual([]);
    await update(built, { triggerType: 'SCHEDULE', intervalMs: 600_000 });
    expect(await dueIn(built)).toEqual([10]);
    await suite.bus.call(workflows.pause, built.caller, { id: built.id });
    expect(await dueIn(built)).toEqual([]);
    await resume(built);
    await update(built, { enabled: false });
    expect(await dueIn(built)).toEqual([]);
    await resume(built);
    await suite.bus.call(workflows.delete, built.caller, { id: built.id });
    expect(await dueIn(built)).toEqual([]);
  });

  it('is copied with its segment and its goal, disabled', async () => {
    const segmentId = newId();
    suite.segments.add(segmentId);
    const exitWhen = { field: 'customFields.plan', operator: 'exists' };
    const built = await buildWorkflow(suite, {
      triggerType: 'SCHEDULE',
      intervalMs: 60_000,
      segmentId,
      exitWhen,
    });
    await resume(built);
    const copy = await suite.bus.call(workflows.clone, built.caller, { id: built.id });
    expect(copy).toMatchObject({ triggerType: 'SCHEDULE', segmentId, exitWhen, enabled: false, version: 1 });
    expect(await dueIn({ ...built, id: copy.id })).toEqual([]);
  });
});
