import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  workflowEvents,
  workflowGraphs,
  workflows,
  type Caller,
  type CreateWorkflow,
  type UpdateWorkflow,
  type Workflow,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { Bus, BusConnection } from '@posthorn/messaging';
import { startWorkflowsSuite, type WorkflowsSuite } from '../testing/workflows-suite.js';

describe('workflows', () => {
  let suite: WorkflowsSuite;
  beforeAll(async () => {
    suite = await startWorkflowsSuite();
  });
  afterAll(() => suite.stop());

  const create = (caller: Caller, wanted: Partial<CreateWorkflow> = {}): Promise<Workflow> =>
    suite.bus.call(workflows.create, caller, {
      name: 'Welcome',
      triggerType: 'EVENT',
      eventName: 'signup',
      ...wanted,
    } as CreateWorkflow);
  const update = (caller: Caller, id: string, changes: UpdateWorkflow) =>
    suite.bus.call(workflows.update, caller, { id, ...changes });
  const refused = (...errors: [string, string][]) => ({
    kind: 'invalid',
    code: 'validation_error',
    details: { errors: errors.map(([path, code]) => ({ path: [path], code })) },
  });

  it('are created disabled, with one TRIGGER step, and publish an event', async () => {
    const { caller, projectId } = suite.buildProject();
    const made = await create(caller);
    expect(made).toEqual({
      id: expect.any(String),
      projectId,
      name: 'Welcome',
      description: null,
      enabled: false,
      triggerType: 'EVENT',
      eventName: 'signup',
      intervalMs: null,
      segmentId: null,
      allowReentry: false,
      maxExecutionsPerHour: null,
      exitWhen: null,
      version: 1,
      stepCount: 1,
      createdAt: expect.any(Date),
      updatedAt: made.createdAt,
    });
    expect(await suite.bus.call(workflows.get, caller, { id: made.id })).toEqual(made);
    expect(await suite.bus.call(workflowGraphs.get, caller, { id: made.id })).toEqual({
      workflowId: made.id,
      version: 1,
      steps: [
        {
          id: expect.any(String),
          name: 'Trigger',
          position: { x: 0, y: 0 },
          templateId: null,
          type: 'TRIGGER',
          config: {},
        },
      ],
      transitions: [],
    });
    expect(await suite.eventsOf(projectId, workflowEvents.changed)).toEqual([
      { workflowId: made.id, version: 1, at: made.createdAt.toISOString(), seq: 1 },
    ]);
  });

  it('store what they are given', async () => {
    const { caller } = suite.buildProject();
    const wanted = {
      name: 'Weekly',
      description: 'Every week',
      triggerType: 'SCHEDULE',
      eventName: null,
      intervalMs: 2_592_000_000,
      segmentId: newId(),
    } as const;
    suite.segments.add(wanted.segmentId);
    const exitWhen = { field: 'contact.subscribed', operator: 'equals', value: false };
    expect(
      await create(caller, {
        ...wanted,
        allowReentry: true,
        maxExecutionsPerHour: 9_000_000_000,
        exitWhen,
        enabled: false,
      }),
    ).toMatchObject({
      ...wanted,
      allowReentry: true,
      maxExecutionsPerHour: 9_000_000_000,
      exitWhen,
    });
  });

  it('are not created with an invalid trigger, nor enabled', async () => {
    const { caller, projectId } = suite.buildProject();
    await expect(create(caller, { eventName: null })).rejects.toMatchObject(
      refused(['eventName', 'required']),
    );
    await expect(create(caller, { triggerType: 'SCHEDULE' })).rejects.toMatchObject(
      refused(['eventName', 'not_allowed'], ['intervalMs', 'required']),
    );
    await expect(create(caller, { triggerType: 'MANUAL' })).rejects.toMatchObject(
      refused(['eventName', 'not_allowed']),
    );
    await expect(
      create(caller, { triggerType: 'SCHEDULE', eventName: null, intervalMs: 60_000, segmentId: newId() }),
    ).rejects.toMatchObject(refused(['segmentId', 'not_found']));
    await expect(create(caller, { segmentId: newId() })).rejects.toMatchObject(
      refused(['segmentId', 'not_allowed']),
    );
    await expect(create(caller, { exitWhen: { field: 'name', goal: 1 } })).rejects.toMatchObject({
      details: { errors: [{ path: ['exitWhen', 'goal'] }, { path: ['exitWhen', 'field'] }] },
    });
    await expect(create(caller, { enabled: true })).rejects.toMatchObject(
      refused(['enabled', 'not_allowed']),
    );
    for (const intervalMs of [59_999, 2_592_000_001, 60_000.5])
      await expect(
        create(caller, { triggerType: 'SCHEDULE', eventName: null, intervalMs }),
      ).rejects.toMatchObject({ kind: 'invalid' });
    await expect(create(caller, { maxExecutionsPerHour: 0 })).rejects.toMatchObject(
      refused(['maxExecutionsPerHour', 'out_of_range']),
    );
    expect((await suite.bus.call(workflows.list, caller, { withTotal: true })).total).toBe(0);
    expect(await suite.database.query(`SELECT 1 FROM outbox WHERE project_id = $1`, [projectId])).toEqual([]);
  });

  it('update: keeps absent members, clears members by null and publishes changes', async () => {
    const { caller, projectId } = suite.buildProject();
    const made = await create(caller, { description: 'First', maxExecutionsPerHour: 5 });
    const changed = await update(caller, made.id, {
      name: 'Hello',
      description: null,
      maxExecutionsPerHour: null,
      allowReentry: true,
    });
    expect(changed).toEqual({
      ...made,
      name: 'Hello',
      description: null,
      maxExecutionsPerHour: null,
      allowReentry: true,
      updatedAt: changed.updatedAt,
    });
    expect(changed.updatedAt.getTime()).toBeGreaterThanOrEqual(made.updatedAt.getTime());
    expect(await suite.eventsOf(projectId, workflowEvents.changed)).toMatchObject([
      { seq: 1 },
      { seq: 2, at: changed.updatedAt.toISOString(), version: 1 },
    ]);
  });

  it('update: validates the trigger as a whole', async () => {
    const { caller } = suite.buildProject();
    const made = await create(caller);
    await expect(update(caller, made.id, { triggerType: 'SCHEDULE' })).rejects.toMatchObject(
      refused(['intervalMs', 'required']),
    );
    await expect(update(caller, made.id, { eventName: null })).rejects.toMatchObject(
      refused(['eventName', 'required']),
    );
    expect(await suite.bus.call(workflows.get, caller, { id: made.id })).toEqual(made);
    const scheduled = await update(caller, made.id, { triggerType: 'SCHEDULE', intervalMs: 60_000 });
    expect(scheduled).toMatchObject({ triggerType: 'SCHEDULE', eventName: null, intervalMs: 60_000 });
    expect(await update(caller, made.id, { triggerType: 'MANUAL' })).toMatchObject({
      eventName: null,
      intervalMs: null,
    });
  });

  it('update: writes and publishes nothing if nothing changes', async () => {
    const { caller, projectId } = suite.buildProject();
    const made = await create(caller);
    expect(await update(caller, made.id, {})).toEqual(made);
    expect(await update(caller, made.id, { name: made.name, enabled: false, triggerType: 'EVENT' })).toEqual(
      made,
    );
    expect(await suite.eventsOf(projectId, workflowEvents.changed)).toHaveLength(1);
  });

  it('update: concurrent updates lose no change', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await create(caller);
    const changes: UpdateWorkflow[] = [
      { name: 'Other' },
      { description: 'Other' },
      { eventName: 'purchase' },
      { allowReentry: true },
      { maxExecutionsPerHour: 7 },
    ];
    await Promise.all(changes.map((change) => update(caller, id, change)));
    expect(await suite.bus.call(workflows.get, caller, { id })).toMatchObject(
      Object.assign({}, ...changes) as object,
    );
    const events = await suite.eventsOf(projectId, workflowEvents.changed);
    expect(events.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('delete: deletes the workflow and its graph once, and publishes an event', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await create(caller);
    const answers = await Promise.allSettled(
      Array.from({ length: 5 }, () => suite.bus.call(workflows.delete, caller, { id })),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toEqual([
      { status: 'fulfilled', value: { id } },
    ]);
    expect(
      answers.flatMap((each) => (each.status === 'rejected' ? [(each.reason as { kind: string }).kind] : [])),
    ).toEqual(Array.from({ length: 4 }, () => 'not_found'));
    expect(await suite.eventsOf(projectId, workflowEvents.deleted)).toEqual([
      { workflowId: id, version: 1, at: expect.any(String), seq: 2 },
    ]);
    expect(
      await suite.database.query(`SELECT 1 FROM workflow_steps WHERE project_id = $1`, [projectId]),
    ).toEqual([]);
  });

  it('are listed newest first, each once, with the exact total', async () => {
    const { caller, projectId } = suite.buildProject();
    await create(suite.buildProject().caller);
    const made: { id: string }[] = [];
    for (let index = 0; index < 25; index += 1) made.push(await create(caller, { name: `No ${index}` }));
    await suite.bus.call(workflows.delete, caller, { id: made[0]!.id });
    const expected = await suite.database.query<{ id: string }>(
      `SELECT id FROM workflows WHERE project_id = $1 ORDER BY created_at DESC, id DESC`,
      [projectId],
    );
    const found: string[] = [];
    let page = await suite.bus.call(workflows.list, caller, { limit: 7, withTotal: true });
    for (;;) {
      found.push(...page.items.map(({ id }) => id));
      expect(page.total).toBe(24);
      if (!page.next) break;
      page = await suite.bus.call(workflows.list, caller, { limit: 7, after: page.next, withTotal: true });
    }
    expect(found).toEqual(expected.map(({ id }) => id));
    expect((await suite.bus.call(workflows.list, caller, {})).items).toHaveLength(20);
  });

  it('a call past its deadline has no effect', async () => {
    const { caller, projectId } = suite.buildProject();
    const made = await create(caller);
    const connection = await BusConnection.open({ url: suite.environment['NATS_URL']!, name: 'late' });
    const clock = { now: () => Promise.resolve(new Date(Date.now() - 60_000)) };
    const late = new Bus(connection, clock, undefined, 20_000);
    const outcomes = await Promise.all(
      [
        late.call(workflows.create, caller, { name: 'Late', triggerType: 'MANUAL' }),
        late.call(workflows.update, caller, { id: made.id, name: 'Late' }),
        late.call(workflows.clone, caller, { id: made.id }),
        late.call(workflows.delete, caller, { id: made.id }),
      ].map((call) => call.catch((error: unknown) => error)),
    );
    await connection.close();
    expect(outcomes).toEqual(outcomes.map(() => expect.objectContaining({ kind: 'unavailable' })));
    expect(await suite.bus.call(workflows.list, caller, { withTotal: true })).toMatchObject({
      items: [made],
      total: 1,
    });
    expect(
      await suite.database.query(`SELECT 1 FROM outbox WHERE project_id = $1`, [projectId]),
    ).toHaveLength(1);
  });
});
