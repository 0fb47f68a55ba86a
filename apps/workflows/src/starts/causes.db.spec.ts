import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contactEvents, emailEvents, executions, workflowGraphs, type Caller } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { startEngineSuite, type EngineSuite } from '../testing/engine-suite.js';
import { startWork } from '../work-kinds.js';

let suite: EngineSuite;
beforeAll(async () => {
  suite = await startEngineSuite();
});
afterAll(() => suite.stop());

const onEvent = (eventName: string) => ({
  triggerType: 'EVENT' as const,
  eventName,
  allowReentry: true,
});
const update = (config: object) => ({ set: { type: 'UPDATE_CONTACT' as const, config: config as never } });

/** Until one was stopped; and then none is open, and none follows. */
async function stopped(projectId: string): Promise<{ count: number; deepest: number }> {
  return eventually(async () => {
    const [row] = await suite.database.query<{ count: number; deepest: number; stops: number; open: number }>(
      `SELECT count(*)::int AS count, max(depth)::int AS deepest, count(*) FILTER (WHERE reason LIKE 'Workflows started one another%')::int AS stops,
         count(*) FILTER (WHERE ended_at IS NULL)::int AS open FROM executions WHERE project_id = $1`,
      [projectId],
    );
    return row!.stops > 0 && row!.open === 0 ? row : null;
  }, 'a loop is stopped');
}

describe('workflows that start each other', () => {
  it('end by changes of the subscription, with a reason and a finding', async () => {
    const { caller, projectId } = suite.buildProject();
    const contact = suite.addContact(projectId);
    const { id, graph } = await suite.enable(
      caller,
      update({ subscribed: false }),
      onEvent('contact.subscribed'),
    );
    await suite.enable(caller, update({ subscribed: true }), onEvent('contact.unsubscribed'));
    const publish = (subscribed: boolean, causedBy?: string) =>
      suite.contacts.publish(subscribed ? contactEvents.subscribed : contactEvents.unsubscribed, projectId, [
        {
          contactId: contact.id,
          email: contact.email,
          subscribed,
          at: new Date(),
          seq: 1,
          ...(causedBy === undefined ? {} : { causedBy }),
        },
      ]);
    suite.onUpdate = ({ subscribed, effect }) => publish(subscribed!, effect!.executionId);
    await publish(true);
    expect(await stopped(projectId)).toMatchObject({ count: 12, deepest: 11 });
    const page = await suite.bus.call(executions.list, caller, { workflowId: id });
    const { steps, transitions } = graph;
    const { findings } = await suite.bus.call(workflowGraphs.validate, caller, { id, steps, transitions });
    const other = await lastOf(caller, projectId);
    expect([page.items.length, other.status, other.reason]).toEqual([
      6,
      'FAILED',
      'Workflows started one another: more than 10 executions led to this one',
    ]);
    expect(
      other.workflowId === id ? findings.map(({ code }) => code) : ['workflows_start_each_other'],
    ).toContain('workflows_start_each_other');
  });

  it('end by the segments that they make contacts enter and leave', async () => {
    const { caller, projectId } = suite.buildProject();
    const contact = suite.addContact(projectId);
    const slug = 'vip';
    await suite.enable(caller, update({ updates: { vip: false } }), onEvent(`segment.${slug}.entry`));
    await suite.enable(caller, update({ updates: { vip: true } }), onEvent(`segment.${slug}.exit`));
    const publish = (isMember: boolean) =>
      suite.contacts.publish(isMember ? contactEvents.segmentEntered : contactEvents.segmentLeft, projectId, [
        { contactId: contact.id, segmentId: newId(), slug, at: new Date() },
      ]);
    suite.onUpdate = ({ customFields }) => publish(customFields!['vip'] as boolean);
    await publish(true);
    expect(await stopped(projectId)).toMatchObject({ count: 12, deepest: 11 });
  });

  it('end by the mails that they send', async () => {
    const { caller, projectId } = suite.buildProject();
    const contact = suite.addContact(projectId);
    const mail = { type: 'SEND_EMAIL' as const, config: { subject: 'Hi', body: 'Hello' } };
    await suite.enable(caller, { mail }, onEvent('email.sent'));
    const publish = (metadata: Record<string, string>) =>
      suite.sending.publish(emailEvents.sent, projectId, [
        {
          emailId: newId(),
          to: contact.email,
          at: new Date(),
          sourceType: 'WORKFLOW' as const,
          contactId: contact.id,
          metadata,
        },
      ]);
    const sent = new Set<string>();
    const follow = async () => {
      for (const { recipients, metadata } of suite.effected.sends)
        if (!sent.has(recipients[0]!.id)) {
          sent.add(recipients[0]!.id);
          if (recipients[0]!.to.email === contact.email) await publish(metadata!);
        }
    };
    await publish({});
    const found = await eventually(async () => {
      await follow();
      const [row] = await suite.database.query<{ deepest: number; stops: number }>(
        `SELECT max(depth)::int AS deepest, count(*) FILTER (WHERE status = 'FAILED')::int AS stops FROM executions WHERE project_id = $1`,
        [projectId],
      );
      return row!.stops > 0 ? row : null;
    }, 'a loop is stopped');
    expect(found!.deepest).toBe(11);
  });

  it('go on by what people do', async () => {
    const { caller, projectId } = suite.buildProject();
    const contact = suite.addContact(projectId);
    const { id } = await suite.enable(
      caller,
      { end: { type: 'EXIT', config: {} } },
      onEvent('contact.subscribed'),
    );
    for (let seq = 1; seq <= 14; seq += 1) {
      await suite.contacts.publish(contactEvents.subscribed, projectId, [
        { contactId: contact.id, email: contact.email, subscribed: true, at: new Date(), seq },
      ]);
      await eventually(async () => {
        const { items } = await suite.bus.call(executions.list, caller, { workflowId: id });
        return items.length === seq && items.every(({ status }) => status === 'EXITED') ? items : null;
      }, `${seq} have ended`);
    }
  });
});

async function lastOf(caller: Caller, projectId: string) {
  const [row] = await suite.database.query<{ id: string; workflowId: string }>(
    `SELECT id, workflow_id AS "workflowId" FROM executions WHERE project_id = $1 ORDER BY depth DESC LIMIT 1`,
    [projectId],
  );
  return suite.bus.call(executions.get, caller, row!);
}

describe('the hourly cap', () => {
  it('does not count who is refused', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: workflowId } = await suite.enable(
      caller,
      { end: { type: 'EXIT', config: {} } },
      { maxExecutionsPerHour: 3 },
    );
    const people = Array.from({ length: 4 }, () => suite.addContact(projectId).id);
    for (const contactId of people.slice(0, 2)) await suite.start(caller, workflowId, contactId);
    const entries = people.map((contactId) => ({ contactId, event: null }));
    await suite.queue.enqueue(startWork, [{ projectId, payload: { workflowId, entries } }]);
    await eventually(async () => {
      const stats = await suite.bus.call(executions.stats, caller, { id: workflowId });
      return stats.executions['EXITED'] === 3 && stats.putOff === 1 ? stats : null;
    }, 'the third has started, and only the fourth is put off');
    await expect(suite.start(caller, workflowId, people[0]!)).rejects.toMatchObject({ kind: 'conflict' });
    await expect(suite.start(caller, workflowId, people[3]!)).rejects.toMatchObject({ kind: 'rate_limited' });
  });
});
