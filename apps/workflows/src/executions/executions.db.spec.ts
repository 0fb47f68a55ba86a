import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { contactEvents, DomainError, executions, workflowGraphs, workflows } from '@posthorn/contracts';
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
  suite.refusal = null;
});

const mail = (subject: string, next?: string) => ({
  type: 'SEND_EMAIL' as const,
  config: { subject, body: 'Hello' },
  ...(next ? { next } : {}),
});
const minute = { amount: 1, unit: 'minutes' };

async function happen(projectId: string, contactId: string, name: string, at = new Date()): Promise<string> {
  const eventId = newId();
  await suite.contacts.publish(contactEvents.eventRecorded, projectId, [
    { eventId, contactId, name, emailId: null, at },
  ]);
  return eventId;
}

const subjects = (): (string | undefined)[] => suite.effected.sends.map(({ subject }) => subject);

describe('an execution', () => {
  it('starts by an event, sends, decides by its data and completes, with its history and counts', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId, email } = suite.addContact(projectId, { plan: 'pro' });
    const { id: workflowId } = await suite.enable(
      caller,
      {
        first: mail('Welcome', 'paid'),
        paid: {
          type: 'CONDITION',
          config: { field: 'event.total', operator: 'greaterThan', value: 10 },
          next: { yes: 'mark', no: 'last' },
        },
        mark: { type: 'UPDATE_CONTACT', config: { updates: { vip: true } }, next: 'last' },
        last: mail('Thanks'),
      },
      { triggerType: 'EVENT', eventName: 'purchase' },
    );
    const eventId = newId();
    suite.eventData.set(eventId, { total: 12.5 });
    await suite.contacts.publish(contactEvents.eventRecorded, projectId, [
      { eventId, contactId, name: 'purchase', emailId: null, at: new Date() },
    ]);
    const started = await eventually(async () => {
      const { items } = await suite.bus.call(executions.list, caller, { workflowId });
      return items[0] ?? null;
    }, 'started');
    const { steps } = await suite.until(caller, started, 'COMPLETED');
    expect(steps.map(({ stepName, status, branch }) => [stepName, status, branch])).toEqual([
      ['trigger', 'DONE', null],
      ['first', 'DONE', null],
      ['paid', 'DONE', 'yes'],
      ['mark', 'DONE', null],
      ['last', 'DONE', null],
    ]);
    expect(suite.effected.sends.map(({ subject, recipients }) => [subject, recipients[0]!.to.email])).toEqual(
      [
        ['Welcome', email],
        ['Thanks', email],
      ],
    );
    expect(suite.people.get(contactId)!.customFields).toEqual({ plan: 'pro', vip: true });
    const stats = await suite.bus.call(executions.stats, caller, { id: workflowId });
    expect(stats.executions).toMatchObject({ COMPLETED: 1, RUNNING: 0, WAITING: 0 });
    expect(
      stats.steps.every(({ entered, done, waiting }) => entered === 1 && done === 1 && waiting === 0),
    ).toBe(true);
  });

  it('waits for an event; one that came before the wait does not count', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId);
    const { id: workflowId } = await suite.enable(caller, {
      wait: {
        type: 'WAIT_FOR_EVENT',
        config: { eventName: 'paid', timeout: 3_600 },
        next: { event: 'thanks', timeout: 'reminder' },
      },
      thanks: mail('Thanks'),
      reminder: mail('Reminder'),
    });
    const execution = await suite.start(caller, workflowId, contactId);
    await suite.until(caller, execution, 'WAITING');
    await happen(projectId, contactId, 'paid', new Date(Date.now() - 60_000));
    await happen(projectId, contactId, 'other');
    const paid = await happen(projectId, contactId, 'paid', new Date(Date.now() + 1_000));
    const { steps } = await suite.until(caller, execution, 'COMPLETED');
    expect(subjects()).toEqual(['Thanks']);
    expect(steps[1]).toMatchObject({ branch: 'event', output: { event: {} } });
    expect(paid).toBeDefined();
  });

  it('counts an event that came after the effect before the wait, though the wait was not registered yet', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId);
    const { id: workflowId } = await suite.enable(caller, {
      pause: { type: 'DELAY', config: minute, next: 'wait' },
      wait: {
        type: 'WAIT_FOR_EVENT',
        config: { eventName: 'clicked', timeout: 3_600 },
        next: { event: 'thanks' },
      },
      thanks: mail('Thanks'),
    });
    const execution = await suite.start(caller, workflowId, contactId);
    await suite.until(caller, execution, 'WAITING');
    // From the future, so that it is not before the wait that is entered below.
    await happen(projectId, contactId, 'clicked', new Date(Date.now() + 30_000));
    await eventually(
      async () =>
        (await suite.database.query(`SELECT 1 FROM awaited_events WHERE contact_id = $1`, [contactId]))[0],
      'stored',
    );
    await suite.bus.call(executions.skipWait, caller, { id: execution.id, workflowId });
    await suite.until(caller, execution, 'COMPLETED');
    expect(subjects()).toEqual(['Thanks']);
  });

  it('sends once where the answer of sending was lost', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId);
    const { id: workflowId } = await suite.enable(caller, { only: mail('Once') });
    suite.lostAnswers = 1;
    const execution = await suite.start(caller, workflowId, contactId);
    await suite.until(caller, execution, 'COMPLETED');
    expect(subjects()).toEqual(['Once']);
  });

  it('fails with the reason of a refusal, and goes on at its step when it is retried', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId);
    const { id: workflowId } = await suite.enable(caller, {
      first: mail('First', 'last'),
      last: mail('Last'),
    });
    suite.refusal = new DomainError('forbidden', 'project_disabled', 'The project is disabled');
    const execution = await suite.start(caller, workflowId, contactId);
    const failed = await suite.until(caller, execution, 'FAILED');
    expect(failed.reason).toBe('first: The project is disabled');
    suite.refusal = null;
    await suite.bus.call(executions.retry, caller, { id: execution.id, workflowId });
    const { steps } = await suite.until(caller, execution, 'COMPLETED');
    expect(steps.map(({ stepName, visit, status }) => [stepName, visit, status])).toEqual([
      ['trigger', 1, 'DONE'],
      ['first', 1, 'FAILED'],
      ['first', 2, 'DONE'],
      ['last', 1, 'DONE'],
    ]);
  });

  it('visits the steps of a loop again, with an effect for each visit', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId, { rounds: 0 });
    const { id: workflowId } = await suite.enable(caller, {
      send: mail('Again', 'pause'),
      pause: { type: 'DELAY', config: minute, next: 'more' },
      more: {
        type: 'CONDITION',
        config: { field: 'data.done', operator: 'notExists' },
        next: { yes: 'send' },
      },
    });
    const execution = await suite.start(caller, workflowId, contactId);
    for (const round of [1, 2, 3]) {
      await eventually(
        async () =>
          suite.effected.sends.length === round && (await suite.until(caller, execution, 'WAITING')),
        `round ${round}`,
      );
      if (round === 3) suite.people.get(contactId)!.customFields = { done: true };
      await suite.bus.call(executions.skipWait, caller, { id: execution.id, workflowId });
    }
    const { steps } = await suite.until(caller, execution, 'COMPLETED');
    expect(steps.filter(({ stepName }) => stepName === 'send').map(({ visit }) => visit)).toEqual([1, 2, 3]);
    expect(new Set(suite.effected.sends.map(({ recipients }) => recipients[0]!.id)).size).toBe(3);
  });

  it('ends early where the exit condition holds', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId);
    const { id: workflowId } = await suite.enable(
      caller,
      { pause: { type: 'DELAY', config: minute, next: 'late' }, late: mail('Late') },
      { exitWhen: { field: 'data.bought', operator: 'equals', value: true } },
    );
    const execution = await suite.start(caller, workflowId, contactId);
    await suite.until(caller, execution, 'WAITING');
    suite.people.get(contactId)!.customFields = { bought: true };
    await suite.bus.call(executions.skipWait, caller, { id: execution.id, workflowId });
    const { reason } = await suite.until(caller, execution, 'EXITED');
    expect(reason).toBe('The exit condition holds');
    expect(subjects()).toEqual([]);
  });

  it('stays on the version on which it started', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId);
    const { id: workflowId, graph } = await suite.enable(caller, { only: mail('Old') });
    const execution = await suite.start(caller, workflowId, contactId);
    await suite.until(caller, execution, 'COMPLETED');
    const steps = graph.steps.map((step) =>
      step.name === 'only' ? { ...step, config: { subject: 'New', body: 'x' } } : step,
    );
    await suite.bus.call(workflowGraphs.put, caller, {
      id: workflowId,
      steps,
      transitions: graph.transitions,
    });
    const other = await suite.start(caller, workflowId, suite.addContact(projectId).id);
    expect((await suite.until(caller, other, 'COMPLETED')).workflowVersion).toBe(
      execution.workflowVersion + 1,
    );
    expect(subjects()).toEqual(['Old', 'New']);
  });

  it('is over with the pause of its workflow, though its row follows later', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: workflowId } = await suite.enable(caller, {
      pause: { type: 'DELAY', config: minute, next: 'late' },
      late: mail('Late'),
    });
    const started = await Promise.all(
      Array.from({ length: 5 }, () => suite.start(caller, workflowId, suite.addContact(projectId).id)),
    );
    for (const execution of started) await suite.until(caller, execution, 'WAITING');
    const { cancelledExecutions } = await suite.bus.call(workflows.pause, caller, { id: workflowId });
    expect(cancelledExecutions).toBe(5);
    for (const execution of started)
      expect(await suite.bus.call(executions.get, caller, { id: execution.id, workflowId })).toMatchObject({
        status: 'CANCELLED',
        reason: 'The workflow was paused',
      });
    await eventually(async () => {
      const stats = await suite.bus.call(executions.stats, caller, { id: workflowId });
      return stats.executions['CANCELLED'] === 5 && stats.executions['WAITING'] === 0;
    }, 'counted');
  });
});

describe('a start', () => {
  it('without re-entry is one ever, with it one at a time', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId);
    const once = await suite.enable(caller, { only: mail('Once') });
    await suite.until(caller, await suite.start(caller, once.id, contactId), 'COMPLETED');
    await expect(suite.start(caller, once.id, contactId)).rejects.toMatchObject({ kind: 'conflict' });
    const again = await suite.enable(
      caller,
      { pause: { type: 'DELAY', config: minute } },
      { allowReentry: true },
    );
    const first = await suite.start(caller, again.id, contactId);
    await expect(suite.start(caller, again.id, contactId)).rejects.toMatchObject({ kind: 'conflict' });
    await suite.bus.call(executions.cancel, caller, { id: first.id, workflowId: again.id });
    await suite.start(caller, again.id, contactId);
  });

  it('beyond the hourly cap is refused for a call and put off for an event', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: workflowId } = await suite.enable(
      caller,
      { only: mail('Capped') },
      { maxExecutionsPerHour: 2, triggerType: 'EVENT', eventName: 'visit' },
    );
    await suite.start(caller, workflowId, suite.addContact(projectId).id);
    const items = Array.from({ length: 3 }, () => ({
      eventId: newId(),
      contactId: suite.addContact(projectId).id,
      name: 'visit',
      emailId: null,
      at: new Date(),
    }));
    await suite.contacts.publish(contactEvents.eventRecorded, projectId, items);
    const stats = await eventually(async () => {
      const found = await suite.bus.call(executions.stats, caller, { id: workflowId });
      return found.putOff === 2 && found.executions['COMPLETED'] === 2 ? found : null;
    }, 'put off');
    expect(stats.dropped).toBe(0);
    await expect(suite.start(caller, workflowId, suite.addContact(projectId).id)).rejects.toMatchObject({
      kind: 'rate_limited',
    });
  });
});
