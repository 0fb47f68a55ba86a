import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { contactEvents, executions, type Caller, type Execution } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { startEngineSuite, type EngineSuite } from '../testing/engine-suite.js';

let suite: EngineSuite;
beforeAll(async () => {
  suite = await startEngineSuite();
});
afterAll(() => suite.stop());
beforeEach(() => {
  suite.effected.sends.length = 0;
});

const waitFor = (eventName: string, next: string) => ({
  type: 'WAIT_FOR_EVENT' as const,
  config: { eventName, timeout: 3_600 },
  next: { event: next },
});

/** Once the execution waits at the step. */
async function waitsAt(caller: Caller, { id, workflowId }: Execution, stepId: string): Promise<void> {
  await eventually(async () => {
    const found = await suite.bus.call(executions.get, caller, { id, workflowId });
    return found.status === 'WAITING' && found.currentStepId === stepId;
  }, 'the wait');
}

async function happen(projectId: string, contactId: string, name: string, data: object): Promise<void> {
  const eventId = newId();
  suite.eventData.set(eventId, data as Record<string, unknown>);
  // From the future, so that it is not before the wait.
  const at = new Date(Date.now() + 1_000);
  await suite.contacts.publish(contactEvents.eventRecorded, projectId, [
    { eventId, contactId, name, emailId: null, at },
  ]);
}

describe('a step after two waits', () => {
  const templateId = newId();
  beforeAll(() => {
    suite.templates.add(templateId);
  });

  it.each<[string, Record<string, unknown>]>([
    ['a template', { templateId }],
    ['a name in brackets', { subject: '{{ steps["First wait"].event.total }}', body: 'Hello' }],
    ['a snippet', { subject: '{{ context.source }}', body: '{% render "order" %}' }],
  ])('is given what the steps before put out, and the context of the start, for %s', async (_, config) => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId);
    const { id: workflowId, graph } = await suite.enable(caller, {
      'First wait': waitFor('paid', 'second'),
      second: waitFor('shipped', 'send'),
      send: { type: 'SEND_EMAIL', config },
    });
    const start = { workflowId, contactId, context: { source: 'shop' } };
    const execution = await suite.bus.call(executions.start, caller, start);
    await waitsAt(caller, execution, graph.idOf('First wait'));
    await happen(projectId, contactId, 'paid', { total: 7 });
    await waitsAt(caller, execution, graph.idOf('second'));
    await happen(projectId, contactId, 'shipped', {});
    await suite.until(caller, execution, 'COMPLETED');
    expect(suite.effected.sends[0]!.data).toMatchObject({
      context: { source: 'shop' },
      steps: { 'First wait': { event: { total: 7 } }, second: { event: {} } },
    });
  });
});

it('a condition sees outputs of steps, the context and the execution', async () => {
  const { caller, projectId } = suite.buildProject();
  const { id: contactId } = suite.addContact(projectId);
  const condition = (field: string, operator: string, value: unknown, next: string) => ({
    type: 'CONDITION' as const,
    config: { field, operator, value },
    next: { yes: next },
  });
  const { id: workflowId, graph } = await suite.enable(caller, {
    paid: waitFor('paid', 'source'),
    source: condition('context.source', 'equals', 'shop', 'started'),
    started: condition('execution.startedAt', 'lessThan', '2999-01-01T00:00:00Z', 'shipped'),
    shipped: waitFor('shipped', 'total'),
    total: condition('steps.paid.event.total', 'equals', 7, 'done'),
    done: { type: 'EXIT', config: { reason: 'all hold' } },
  });
  const start = { workflowId, contactId, context: { source: 'shop' } };
  const execution = await suite.bus.call(executions.start, caller, start);
  await waitsAt(caller, execution, graph.idOf('paid'));
  await happen(projectId, contactId, 'paid', { total: 7 });
  await waitsAt(caller, execution, graph.idOf('shipped'));
  await happen(projectId, contactId, 'shipped', {});
  expect((await suite.until(caller, execution, 'EXITED')).reason).toBe('all hold');
});

it('an event of a segment has the address of the contact, as a trigger and as the end of a wait', async () => {
  const { caller, projectId } = suite.buildProject();
  const { id: contactId, email } = suite.addContact(projectId);
  const { id: workflowId } = await suite.enable(
    caller,
    {
      left: waitFor('segment.vip.exit', 'send'),
      send: { type: 'SEND_EMAIL', config: { subject: '{{ steps }} {{ event }}', body: 'x' } },
    },
    { triggerType: 'EVENT', eventName: 'segment.vip.entry' },
  );
  const change = { contactId, segmentId: newId(), slug: 'vip', name: 'VIP' };
  await suite.contacts.publish(contactEvents.segmentEntered, projectId, [{ ...change, at: new Date() }]);
  const execution = await eventually(async () => {
    const { items } = await suite.bus.call(executions.list, caller, { workflowId, status: 'WAITING' });
    return items[0] ?? null;
  }, 'the wait');
  const at = new Date(Date.now() + 1_000);
  await suite.contacts.publish(contactEvents.segmentLeft, projectId, [{ ...change, at }]);
  await suite.until(caller, execution, 'COMPLETED');
  const data = { segmentId: change.segmentId, segmentName: 'VIP', contactId, email };
  expect(suite.effected.sends[0]!.data).toMatchObject({ event: data, steps: { left: { event: data } } });
});

it('a time of the day is that of the contact, else of the project', async () => {
  const { caller, projectId } = suite.buildProject();
  const { id: workflowId } = await suite.enable(caller, {
    morning: { type: 'DELAY', config: { until: { time: '09:00', timeZoneField: 'zone' } } },
  });
  const dueAt = async (customFields: Record<string, unknown>): Promise<string> => {
    const execution = await suite.start(caller, workflowId, suite.addContact(projectId, customFields).id);
    const { steps } = await suite.until(caller, execution, 'WAITING');
    return steps.at(-1)!.dueAt!.toISOString().slice(11);
  };
  expect(await dueAt({ zone: 'Asia/Kolkata' })).toBe('03:30:00.000Z');
  expect(await dueAt({})).toBe('00:00:00.000Z');
  expect(await dueAt({ zone: 'Nowhere/At-all' })).toBe('00:00:00.000Z');
});

it('a list of executions counts all of them, or those of a status', async () => {
  const { caller, projectId } = suite.buildProject();
  const { id: workflowId } = await suite.enable(caller, {
    pause: { type: 'DELAY', config: { amount: 1, unit: 'days' } },
  });
  for (const { id } of [suite.addContact(projectId), suite.addContact(projectId)])
    await suite.until(caller, await suite.start(caller, workflowId, id), 'WAITING');
  const total = async (filter: { status?: Execution['status'] }) =>
    (await suite.bus.call(executions.list, caller, { workflowId, limit: 1, withTotal: true, ...filter }))
      .total;
  expect([await total({}), await total({ status: 'WAITING' }), await total({ status: 'FAILED' })]).toEqual([
    2, 2, 0,
  ]);
});
