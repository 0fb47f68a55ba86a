import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  emails,
  executions,
  outsideDomain,
  scopes,
  workflowDocuments,
  workflowGraphs,
  workflows,
  type Caller,
  type Standing,
} from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { standIn } from '@posthorn/testing';
import { startEngineSuite, type EngineSuite } from '../testing/engine-suite.js';
import { buildGraph } from '../testing/graph-builder.js';

let suite: EngineSuite;
let leave: () => Promise<void>;
const shopDomain = newId();
beforeAll(async () => {
  suite = await startEngineSuite();
  leave = await standIn(suite.connection, emails.check, async ({ from }, { domainId }) => {
    if (domainId === shopDomain && !from?.email.endsWith('@shop.example')) throw outsideDomain();
    return { accepted: null };
  });
});
afterAll(async () => {
  await leave();
  await suite.stop();
});
beforeEach(() => {
  for (const list of Object.values(suite.effected)) list.length = 0;
});

const mail = (from?: string) => ({
  welcome: {
    type: 'SEND_EMAIL' as const,
    config: { subject: 'Hi', body: 'Hello', ...(from ? { from } : {}) },
  },
});
const later = {
  wait: { type: 'DELAY' as const, config: { amount: 1, unit: 'days' }, next: 'welcome' },
  ...mail(),
};

/** A key of the project with these rights. */
function buildKey(projectId: string, standing: Partial<Standing> = {}) {
  const id = newId();
  const caller: Caller = { projectId, actor: { kind: 'KEY', id } };
  suite.standings.set(id, standing);
  return {
    caller,
    change: (changes: Partial<Standing>) => suite.standings.set(id, { ...standing, ...changes }),
  };
}

const withoutSending = { scopes: scopes.filter((scope) => scope !== 'emails:send') };
const sandbox = { address: 'sandbox@sandbox.test', recipients: ['owner@example.org'] };
const test: Partial<Standing> = { mode: 'TEST', sandbox };

describe('who may not send himself', () => {
  it('puts, imports, enables and starts no workflow that sends', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId);
    const { id, graph } = await suite.enable(caller, mail());
    const { caller: confined } = buildKey(projectId, withoutSending);
    const exported = await suite.bus.call(workflowDocuments.export, caller, { id });
    const { steps, transitions } = graph;
    for (const attempt of [
      suite.bus.call(workflowGraphs.put, confined, { id, steps, transitions }),
      suite.bus.call(workflowDocuments.import, confined, exported as never),
      suite.bus.call(workflows.resume, confined, { id }),
      suite.bus.call(workflows.update, confined, { id, allowReentry: true }),
      suite.bus.call(executions.start, confined, { workflowId: id, contactId }),
    ])
      await expect(attempt).rejects.toMatchObject({ kind: 'forbidden', code: 'scope_missing' });
    expect(suite.effected.sends).toEqual([]);
  });

  it('neither retries nor hurries an execution that sends', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId);
    const { id } = await suite.enable(caller, later);
    const execution = await suite.start(caller, id, contactId);
    await suite.until(caller, execution, 'WAITING');
    const { caller: confined } = buildKey(projectId, withoutSending);
    const skip = suite.bus.call(executions.skipWait, confined, { id: execution.id, workflowId: id });
    await expect(skip).rejects.toMatchObject({ code: 'scope_missing' });
  });

  it('puts no step with a sender outside of the domain that he is confined to', async () => {
    const { projectId } = suite.buildProject();
    const { caller } = buildKey(projectId, { domainId: shopDomain });
    const { id } = await suite.bus.call(workflows.create, caller, { name: 'W', triggerType: 'MANUAL' });
    const { steps, transitions } = buildGraph(mail('hello@other.example'));
    const put = suite.bus.call(workflowGraphs.put, caller, { id, steps, transitions });
    await expect(put).rejects.toMatchObject({ kind: 'forbidden' });
    await suite.bus.call(workflowGraphs.put, caller, { id, ...buildGraph(mail('hello@shop.example')) });
  });
});

describe('an effect', () => {
  it('of a workflow that a TEST key enabled is one of that key', async () => {
    const { projectId } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId);
    const { caller } = buildKey(projectId, test);
    const { id } = await suite.enable(caller, mail());
    await suite.until(caller, await suite.start(caller, id, contactId), 'COMPLETED');
    expect(suite.effected.callers).toMatchObject([{ mode: 'TEST', sandbox }]);
  });

  it('of an execution that a TEST key started or hurried is one of that key', async () => {
    const { caller, projectId } = suite.buildProject();
    const { id } = await suite.enable(caller, later);
    const { caller: confined } = buildKey(projectId, test);
    const byKey = await suite.start(confined, id, suite.addContact(projectId).id);
    const hurried = await suite.start(caller, id, suite.addContact(projectId).id);
    await suite.until(caller, byKey, 'WAITING');
    await suite.until(caller, hurried, 'WAITING');
    await suite.bus.call(executions.skipWait, caller, { id: byKey.id, workflowId: id });
    await suite.bus.call(executions.skipWait, confined, { id: hurried.id, workflowId: id });
    for (const execution of [byKey, hurried]) await suite.until(caller, execution, 'COMPLETED');
    expect(suite.effected.callers.map(({ mode }) => mode)).toEqual(['TEST', 'TEST']);
  });

  it.each<[string, Partial<Standing>, RegExp]>([
    ['is revoked', { isValid: false, scopes: [] }, /no longer/],
    ['has lost the scope', withoutSending, /lacks the scope emails:send/],
  ])('fails with the reason when the key of its lender %s', async (_, changes, reason) => {
    const { projectId, caller: owner } = suite.buildProject();
    const { id: contactId } = suite.addContact(projectId);
    const { caller, change } = buildKey(projectId);
    const { id } = await suite.enable(caller, later);
    const execution = await suite.start(owner, id, contactId);
    await suite.until(owner, execution, 'WAITING');
    change(changes);
    await suite.until(owner, execution, 'WAITING');
    await suite.forgetStandings();
    await suite.bus.call(executions.skipWait, owner, { id: execution.id, workflowId: id });
    const failed = await suite.until(owner, execution, 'FAILED');
    expect(failed.reason).toMatch(reason);
    expect(suite.effected.sends).toEqual([]);
  });

  it('is possible again once somebody who may has enabled the workflow, though it is enabled', async () => {
    const { projectId, caller: owner } = suite.buildProject();
    const { caller, change } = buildKey(projectId);
    const { id } = await suite.enable(caller, mail());
    change({ isValid: false, scopes: [] });
    await suite.forgetStandings();
    const first = await suite.start(owner, id, suite.addContact(projectId).id);
    await suite.until(owner, first, 'FAILED');
    await suite.bus.call(workflows.resume, owner, { id });
    await suite.bus.call(executions.retry, owner, { id: first.id, workflowId: id });
    await suite.until(owner, first, 'COMPLETED');
  });

  it('waits while the project is disabled', async () => {
    const { projectId, caller } = suite.buildProject();
    const { id } = await suite.enable(caller, mail());
    suite.disabledProjects.add(projectId);
    const execution = await suite.start(caller, id, suite.addContact(projectId).id);
    await suite.postponed(execution.id);
    expect(suite.effected.sends).toEqual([]);
    suite.disabledProjects.delete(projectId);
    await suite.forgetStandings();
    await suite.dueNow(execution.id);
    await suite.until(caller, execution, 'COMPLETED');
  });
});
