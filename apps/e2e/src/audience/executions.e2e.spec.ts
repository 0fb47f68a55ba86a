import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { Webhook } from 'standardwebhooks';
import { prefixes, surfaces, withPosthorn, type Surface } from '../testing/bad-input.js';
import { startReceiver, type HttpReceiver } from '../testing/http-receiver.js';
import { inboxMessages } from '../testing/inbox.js';

const suite = withPosthorn();
let receiver: HttpReceiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());

/** Members in camelCase, as the legacy surface names them. */
const named = (surface: Surface, members: Record<string, unknown>): Record<string, unknown> =>
  surface === 'legacy'
    ? members
    : Object.fromEntries(
        Object.entries(members).map(([name, value]) => [
          name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
          value,
        ]),
      );

describe.each(surfaces)('executions on %s', (surface) => {
  const base = prefixes[surface];
  const dataOf = (answer: { body: never }): never => (surface === 'v1' ? answer.body : answer.body['data']);
  const post = async (path: string, body?: object): Promise<Record<string, never>> => {
    const answer = await suite.posthorn.post(`${base}${path}`, body);
    expect([path, answer.status, answer.status < 300 ? '' : answer.text]).toEqual([path, answer.status, '']);
    return dataOf(answer as never);
  };
  const get = async (path: string): Promise<Record<string, never>> =>
    dataOf((await suite.posthorn.get(`${base}${path}`)) as never);
  const member = (name: string): string => Object.keys(named(surface, { [name]: 1 }))[0]!;

  async function welcome(eventName: string): Promise<string> {
    const ids = Object.fromEntries(['send', 'wait', 'gift', 'mark'].map((name) => [name, newId()]));
    const { id } = await post(
      '/workflows',
      named(surface, { name: 'Welcome', triggerType: 'EVENT', eventName }),
    );
    const { steps } = (await get(`/workflows/${id}/graph`)) as unknown as { steps: { id: string }[] };
    const [trigger] = steps;
    const step = (name: string, type: string, config: object) => ({
      id: ids[name],
      name,
      type,
      config,
      position: { x: 0, y: 0 },
    });
    const way = (from: string, to: string, branch: string | null = null) =>
      named(surface, {
        id: newId(),
        fromStepId: from,
        toStepId: to,
        priority: 0,
        condition: branch === null ? null : { branch },
      });
    const answer = await suite.posthorn.request('PUT', `${base}/workflows/${id}/graph`, {
      steps: [
        trigger,
        step('send', 'SEND_EMAIL', {
          subject: `Welcome ${surface} {{ contact.plan }} {{ contact.email }}`,
          body: '<p>Hello</p>',
        }),
        step('wait', 'WAIT_FOR_EVENT', { eventName: `${eventName}.paid`, timeout: 3_600 }),
        step('gift', 'WEBHOOK', { url: `${receiver.url}/${surface}/{{ contact.plan }}` }),
        step('mark', 'UPDATE_CONTACT', { updates: { gift: '{{ ignored }}', done: true } }),
      ],
      transitions: [
        way(trigger!.id, ids['send']!),
        way(ids['send']!, ids['wait']!),
        way(ids['wait']!, ids['gift']!, 'event'),
        way(ids['gift']!, ids['mark']!),
      ],
    });
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    await post(`/workflows/${id}/resume`);
    return id!;
  }

  const until = (workflowId: string, executionId: string, status: string) =>
    eventually(async () => {
      const found = await get(`/workflows/${workflowId}/executions/${executionId}`);
      return found['status'] === status ? found : null;
    }, status);

  it('are started by an event, send, wait, call and change the contact', async () => {
    const secret = (await post(`/projects/${suite.posthorn.dev.projectId}/webhook-secret`))['secret']!;
    suite.posthorn.keepSecret(secret);
    const eventName = `signup_${surface}`;
    const workflowId = await welcome(eventName);
    const email = `ada-${surface}@shop.example`;
    const custom = surface === 'v1' ? { custom_fields: { plan: 'pro' } } : { data: { plan: 'pro' } };
    const contact = await post('/contacts', { email, ...custom });
    await post(
      '/events',
      named(surface, { name: eventName, contactId: contact['id'], payload: { source: 'shop' } }),
    );
    const [execution] = await eventually(async () => {
      const answer = await suite.posthorn.get(`${base}/workflows/${workflowId}/executions`);
      const items = (surface === 'v1' ? answer.body.data : answer.body.data.items) as { id: string }[];
      return items.length > 0 ? items : null;
    }, 'an execution');
    await until(workflowId, execution!.id, 'WAITING');
    await eventually(
      async () =>
        (await inboxMessages(suite.posthorn)).some(
          ({ subject }) => subject === `Welcome ${surface} pro ${email}`,
        ),
      'the mail',
    );
    await post('/events', named(surface, { name: `${eventName}.paid`, contactId: contact['id'] }));
    const done = await until(workflowId, execution!.id, 'COMPLETED');
    const [call] = receiver.calls.filter(({ path }) => path === `/${surface}/pro`);
    const payload = new Webhook(secret).verify(call!.body, call!.headers) as Record<
      string,
      Record<string, unknown>
    >;
    expect(payload).toEqual({
      contact: { email, subscribed: true, data: { plan: 'pro' } },
      workflow: { id: workflowId, name: 'Welcome' },
      execution: { id: execution!.id, startedAt: expect.any(String) },
      event: { source: 'shop' },
    });
    const steps = done['steps'] as unknown as Record<string, unknown>[];
    expect(steps.map((step) => [step[member('stepName')], step['status'], step['branch']])).toEqual([
      ['Trigger', 'DONE', null],
      ['send', 'DONE', null],
      ['wait', 'DONE', 'event'],
      ['gift', 'DONE', null],
      ['mark', 'DONE', null],
    ]);
    const changed = await get(`/contacts/${contact['id']}`);
    expect(JSON.stringify(changed)).toContain('done');
    const stats = await get(`/workflows/${workflowId}/stats`);
    expect(stats['executions']).toMatchObject({ COMPLETED: 1, WAITING: 0, RUNNING: 0 });
  });

  it('can be rehearsed, started, cancelled and refused', async () => {
    const workflowId = await welcome(`other_${surface}`);
    const contact = await post('/contacts', { email: `bob-${surface}@shop.example` });
    const rehearsed = await post(`/workflows/${workflowId}/simulate`, {
      contact: { email: 'nobody@shop.example' },
    });
    expect([rehearsed['outcome'], (rehearsed['emails'] as unknown[]).length]).toEqual(['COMPLETED', 1]);
    const sampled = await post(`/workflows/${workflowId}/simulate-audience`, { sample: 10 });
    expect(sampled['sampled']).toBeGreaterThan(0);
    const start = named(surface, { contactId: contact['id'], context: { by: 'hand' } });
    const execution = await post(`/workflows/${workflowId}/executions`, start);
    await until(workflowId, execution['id']!, 'WAITING');
    const again = await suite.posthorn.post(`${base}/workflows/${workflowId}/executions`, start);
    expect(again.status).toBe(409);
    const cancelled = await post(`/workflows/${workflowId}/executions/${execution['id']}/cancel`);
    expect(cancelled['status']).toBe('CANCELLED');
    await eventually(async () => {
      const { text } = await suite.posthorn.get(`${base}/audit-log?action=execution.cancelled`);
      return text.includes(execution['id']!);
    }, 'an entry of the audit log');
    const paused = await post(`/workflows/${workflowId}/pause`);
    expect(paused[member('cancelledExecutions')]).toBe(0);
    expect((await suite.posthorn.post(`${base}/workflows/${workflowId}/executions`, start)).status).toBe(409);
  });
});
