import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  segmentUses,
  templateUses,
  workflowEvents,
  workflowGraphs,
  workflows,
  type GivenGraph,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { buildWorkflow, newStep, newWay, type BuiltWorkflow } from '../testing/workflow-builder.js';
import { startWorkflowsSuite, type WorkflowsSuite } from '../testing/workflows-suite.js';

describe('a graph', () => {
  let suite: WorkflowsSuite;
  beforeAll(async () => {
    suite = await startWorkflowsSuite();
  });
  afterAll(() => suite.stop());

  const get = ({ caller, id }: BuiltWorkflow) => suite.bus.call(workflowGraphs.get, caller, { id });
  const put = ({ caller, id }: BuiltWorkflow, graph: GivenGraph) =>
    suite.bus.call(workflowGraphs.put, caller, { ...graph, id });
  const mail = newStep('SEND_EMAIL', { zebra: 1, subject: 'Hi', body: 'Hello', a: { deepKey: [1.5, null] } });

  it('is put as a whole: ids, order, positions and unknown members are kept, and the version rises', async () => {
    const built = await buildWorkflow(suite);
    const exit = newStep('EXIT');
    const given = {
      steps: [exit, { ...mail, position: { y: 2, x: 1, color: 'red' } }, built.trigger],
      transitions: [{ ...newWay(built.trigger, mail), priority: 3 }, newWay(mail, exit, 'any')],
    };
    const stored = await put(built, given);
    expect(stored).toEqual({
      workflowId: built.id,
      version: 2,
      steps: given.steps.map((step) => ({ ...step, templateId: null })),
      transitions: given.transitions,
    });
    expect(JSON.stringify(stored.steps[1]!.config)).toBe(JSON.stringify(mail.config));
    expect(await suite.bus.call(workflows.get, built.caller, { id: built.id })).toMatchObject({
      version: 2,
      stepCount: 3,
    });
    expect(await suite.eventsOf(built.projectId, workflowEvents.changed)).toMatchObject([
      { version: 1, seq: 1 },
      { version: 2, seq: 2 },
    ]);
  });

  it('accepts what it answered, unchanged', async () => {
    const built = await buildWorkflow(suite);
    const first = await put(built, {
      steps: [built.trigger, mail],
      transitions: [newWay(built.trigger, mail, 'any')],
    });
    expect(await put(built, first)).toEqual({ ...first, version: 3 });
  });

  it('may have the ids of another workflow, in capital letters, too', async () => {
    const [one, other] = [await buildWorkflow(suite), await buildWorkflow(suite)];
    const graph = { steps: [one.trigger, mail], transitions: [newWay(one.trigger, mail)] };
    await put(one, graph);
    const capital = JSON.parse(
      JSON.stringify(graph).replace(/[0-9a-f-]{36}/g, (id) => id.toUpperCase()),
    ) as GivenGraph;
    expect(await put(other, capital)).toMatchObject(graph);
    const twice = { steps: [...graph.steps, { ...mail, id: mail.id.toUpperCase() }], transitions: [] };
    await expect(put(one, twice)).rejects.toMatchObject({
      details: { errors: [{ path: ['steps', '2', 'id'], code: 'not_allowed' }] },
    });
  });

  it('that breaks a rule changes nothing; each broken rule has its pointer', async () => {
    const built = await buildWorkflow(suite);
    const before = await get(built);
    const broken = {
      steps: [mail, newStep('DELAY', { amount: 'three' })],
      transitions: [newWay(mail, mail), { ...newWay(mail, built.trigger), condition: 'yes' }],
    };
    await expect(put(built, broken)).rejects.toMatchObject({
      kind: 'invalid',
      details: {
        errors: [
          { path: ['steps'], code: 'required' },
          { path: ['transitions', '0', 'toStepId'], code: 'not_allowed' },
          { path: ['transitions', '1', 'toStepId'], code: 'not_found' },
          { path: ['transitions', '1', 'condition'], code: 'invalid_format' },
          { path: ['steps', '1', 'config', 'amount'], code: 'invalid_type' },
        ],
      },
    });
    expect(await get(built)).toEqual(before);
  });

  it('keeps its earlier versions that somebody went through, which never change', async () => {
    const built = await buildWorkflow(suite);
    const { caller, id } = built;
    const versions = [await get(built)];
    const enter = () =>
      suite.database.query(`UPDATE workflow_versions SET was_entered = true WHERE workflow_id = $1`, [id]);
    for (const name of ['First', 'Second']) {
      await enter();
      versions.push(await put(built, { steps: [built.trigger, { ...mail, name }], transitions: [] }));
    }
    for (const graph of versions)
      expect(await suite.bus.call(workflowGraphs.version, caller, { id, version: graph.version })).toEqual(
        graph,
      );
    await expect(suite.bus.call(workflowGraphs.version, caller, { id, version: 4 })).rejects.toMatchObject({
      kind: 'not_found',
    });
  });

  it('is put by several callers one after the other', async () => {
    const built = await buildWorkflow(suite);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        put(built, { steps: [built.trigger, newStep('EXIT')], transitions: [] }),
      ),
    );
    expect(Math.max(...answers.map(({ version }) => version))).toBe(6);
    expect((await get(built)).steps).toHaveLength(2);
  });

  it('is looked at without being stored: what is wrong with it, unknown templates included', async () => {
    const built = await buildWorkflow(suite);
    const [known, unknown] = [newId(), newId()];
    suite.templates.add(known);
    const steps = [
      built.trigger,
      ...[known, unknown].map((templateId) => newStep('SEND_EMAIL', { templateId })),
    ];
    const { findings } = await suite.bus.call(workflowGraphs.validate, built.caller, {
      id: built.id,
      steps,
      transitions: [newWay(steps[0]!, steps[1]!)],
    });
    expect(findings.map(({ pointer, code, severity }) => [pointer, code, severity])).toEqual([
      ['/steps/2/config/templateId', 'missing_template', 'ERROR'],
      ['/steps/2', 'unreachable_step', 'WARNING'],
    ]);
    expect((await get(built)).version).toBe(1);
  });

  it('of an enabled workflow keeps its templates and segments from being deleted', async () => {
    const [segmentId, templateId] = [newId(), newId()];
    suite.segments.add(segmentId);
    suite.templates.add(templateId);
    const built = await buildWorkflow(suite, { triggerType: 'SCHEDULE', intervalMs: 60_000, segmentId });
    const { caller, id, trigger } = built;
    await put(built, {
      steps: [trigger, newStep('SEND_EMAIL', { templateId: templateId.toUpperCase() })],
      transitions: [],
    });
    const uses = async () => [
      (await suite.bus.call(segmentUses.workflows, caller, { id: segmentId, slugs: ['pro'] })).names,
      (await suite.bus.call(templateUses.workflows, caller, { id: templateId })).used,
    ];
    expect(await uses()).toEqual([[], false]);
    await suite.bus.call(workflows.resume, caller, { id });
    expect(await uses()).toEqual([['Welcome'], true]);
    await suite.bus.call(workflows.pause, caller, { id });
    expect(await uses()).toEqual([[], false]);
  });
});
