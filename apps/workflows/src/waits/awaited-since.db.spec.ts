import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contactEvents, executions, type Caller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { startEngineSuite, type EngineSuite } from '../testing/engine-suite.js';

let suite: EngineSuite;
beforeAll(async () => {
  suite = await startEngineSuite();
});
afterAll(() => suite.stop());

const wait = (eventName: string, event?: string, timeout?: string) => ({
  type: 'WAIT_FOR_EVENT' as const,
  config: { eventName, timeout: 3_600 },
  next: { ...(event ? { event } : {}), ...(timeout ? { timeout } : {}) },
});
const exit = { type: 'EXIT' as const, config: {} };
const onlyPaid = { triggerType: 'EVENT' as const, eventName: 'ordered' };

async function happen(projectId: string, contactId: string, name: string, at: Date): Promise<void> {
  const item = { eventId: newId(), contactId, name, emailId: null, at };
  await suite.contacts.publish(contactEvents.eventRecorded, projectId, [item]);
}

const started = (caller: Caller, workflowId: string) =>
  eventually(async () => {
    const { items } = await suite.bus.call(executions.list, caller, { workflowId });
    return items[0] ?? null;
  }, 'started');

const secondsAgo = (seconds: number): Date => new Date(Date.now() - seconds * 1_000);

describe('an awaited event', () => {
  it.each([
    ['after', ['ordered', 'paid']],
    ['before', ['paid', 'ordered']],
  ])('counts from the instant of the trigger, though it arrives %s the trigger', async (_, order) => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId);
    const { id } = await suite.enable(
      caller,
      {
        first: {
          type: 'CONDITION',
          config: { field: 'contact.email', operator: 'exists' },
          next: { yes: 'wait' },
        },
        wait: wait('paid', 'end'),
        end: exit,
      },
      onlyPaid,
    );
    const at: Record<string, Date> = { ordered: secondsAgo(5), paid: secondsAgo(4) };
    for (const name of order) await happen(projectId, contactId, name, at[name]!);
    await suite.until(caller, await started(caller, id), 'EXITED');
  });

  it('is not one from before the trigger, nor the trigger itself', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId);
    const { id } = await suite.enable(caller, { wait: wait('ordered', 'end'), end: exit }, onlyPaid);
    const at = secondsAgo(5);
    await happen(projectId, contactId, 'ordered', at);
    const execution = await started(caller, id);
    await suite.until(caller, execution, 'WAITING');
    await happen(projectId, contactId, 'ordered', secondsAgo(6));
    await happen(projectId, contactId, 'other', secondsAgo(3));
    await suite.until(caller, execution, 'WAITING');
    await happen(projectId, contactId, 'ordered', secondsAgo(1));
    await suite.until(caller, execution, 'EXITED');
  });

  it('counts from the event that ended the wait before, and that one does not count twice', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId);
    const { id } = await suite.enable(
      caller,
      { one: wait('seen', 'two'), two: wait('seen', 'three'), three: wait('paid', 'end'), end: exit },
      onlyPaid,
    );
    await happen(projectId, contactId, 'ordered', secondsAgo(9));
    const execution = await started(caller, id);
    await suite.until(caller, execution, 'WAITING');
    await happen(projectId, contactId, 'seen', secondsAgo(8));
    const { steps } = await eventually(async () => {
      const found = await suite.bus.call(executions.get, caller, { id: execution.id, workflowId: id });
      return found.steps.length === 3 ? found : null;
    }, 'at the second wait');
    expect(steps.map(({ stepName, status }) => [stepName, status])).toEqual([
      ['trigger', 'DONE'],
      ['one', 'DONE'],
      ['two', 'WAITING'],
    ]);
    await happen(projectId, contactId, 'paid', secondsAgo(6));
    await happen(projectId, contactId, 'seen', secondsAgo(7));
    await suite.until(caller, execution, 'EXITED');
  });

  it('counts from the end of a delay, however late the execution goes on', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId);
    const delay = {
      type: 'DELAY' as const,
      config: { amount: 1, unit: 'minutes' },
      next: 'wait',
    };
    const { id } = await suite.enable(caller, { delay, wait: wait('paid', 'end'), end: exit });
    const execution = await suite.start(caller, id, contactId);
    await suite.until(caller, execution, 'WAITING');
    await suite.database.query(`UPDATE executions SET due_at = now() - interval '10 seconds' WHERE id = $1`, [
      execution.id,
    ]);
    await happen(projectId, contactId, 'paid', secondsAgo(8));
    await suite.dueNow(execution.id);
    await suite.until(caller, execution, 'EXITED');
  });
});
