import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contactEvents, emailEvents, webhooks, type Caller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { startEngineSuite, type EngineSuite } from '../testing/engine-suite.js';
import { AskedFor, askedForSql, interest } from './asked-for.js';

let suite: EngineSuite;
beforeAll(async () => {
  suite = await startEngineSuite();
});
afterAll(() => suite.stop());

const update = { set: { type: 'UPDATE_CONTACT' as const, config: { updates: { vip: true } } } };
const started = async (projectId: string): Promise<number> =>
  (await suite.database.query(`SELECT 1 FROM executions WHERE project_id = $1`, [projectId])).length;

async function record(projectId: string, name: string): Promise<void> {
  const { id: contactId } = suite.addContact(projectId);
  const item = { eventId: newId(), contactId, name, emailId: null, at: new Date() };
  await suite.contacts.publish(contactEvents.eventRecorded, projectId, [item]);
}

const enable = (caller: Caller, eventName: string) =>
  suite.enable(caller, update, { triggerType: 'EVENT', eventName, allowReentry: true });

describe('an event', () => {
  it('right after a workflow was enabled starts it, whatever came before', async () => {
    for (let round = 1; round <= 20; round += 1) {
      const { caller, projectId } = suite.buildProject();
      await record(projectId, 'other');
      await enable(caller, 'order');
      await record(projectId, 'order');
      await eventually(async () => (await started(projectId)) === 1, 'its execution starts');
    }
  });

  it('that came before starts none, also when it is published again afterwards', async () => {
    const { caller, projectId } = suite.buildProject();
    await record(projectId, 'order');
    await suite.contacts.taken('workflows-workflows-contacts-event-recorded');
    await enable(caller, 'order');
    await suite.contacts.repeatAll();
    await suite.contacts.taken('workflows-workflows-contacts-event-recorded');
    expect(await started(projectId)).toBe(0);
  });

  it('is for a webhook from the moment at which it asks', async () => {
    const { caller, projectId } = suite.buildProject();
    const asked = new AskedFor(suite.database);
    const sent = { projectId, key: interest('webhook', 'email.sent') };
    const elsewhere = { ...sent, projectId: newId() };
    expect(await asked.among([sent, elsewhere])).toEqual([]);
    await suite.bus.call(webhooks.create, caller, {
      url: 'https://shop.example/hook',
      eventTypes: ['email.sent'],
    });
    expect(await asked.among([elsewhere, sent])).toEqual([sent]);
  });

  it('is looked for in indexes', async () => {
    const plan = await suite.database.transaction(async () => {
      await suite.database.query(`SET LOCAL enable_seqscan = off`);
      const name = interest('occurrence', emailEvents.sent.name);
      return suite.database.query(`EXPLAIN ${askedForSql}`, [[newId()], ['occurrence'], [name]]);
    });
    const text = JSON.stringify(plan);
    const partial = ['workflows_by_trigger', 'workflow_steps_waiting', 'execution_waits_by_name'];
    for (const index of partial) expect(text).toContain(index);
    expect(text).not.toContain('Seq Scan');
  });
});
