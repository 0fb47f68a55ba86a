import { beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import { eventually } from '@posthorn/testing';
import { withPosthorn } from '../testing/bad-input.js';
import { inboxMessages } from '../testing/inbox.js';

const suite = withPosthorn();
const keys: Record<string, { id: string; token: string }> = {};
beforeAll(async () => {
  const create = (name: string, ...options: string[]) =>
    suite.operator('keys', 'create', '--name', name, ...options);
  keys['test'] = (await create('test', '--mode', 'TEST')) as never;
  keys['lent'] = (await create('lent')) as never;
  const scopes = 'workflows:read,workflows:write,contacts:read,contacts:write';
  keys['silent'] = (await create('silent', '--scopes', scopes)) as never;
});

const as = (name: string) => ({ authorization: `Bearer ${keys[name]!.token}` });

async function call(name: string, method: string, path: string, body?: object) {
  return suite.posthorn.request(method, `/api/v1${path}`, body, as(name));
}

/** A workflow of one mail, by this key. */
async function build(name: string): Promise<{ id: string; graph: object }> {
  const created = await call(name, 'POST', '/workflows', { name: 'Hello', trigger_type: 'MANUAL' });
  const id = created.body.id as string;
  const { body } = await call(name, 'GET', `/workflows/${id}/graph`);
  const sends = { id: newId(), name: 'hello', type: 'SEND_EMAIL', position: { x: 0, y: 0 } };
  const way = { id: newId(), from_step_id: body.steps[0].id, to_step_id: sends.id, priority: 0 };
  return {
    id,
    graph: {
      steps: [body.steps[0], { ...sends, config: { subject: `By ${name} ${id}`, body: '<p>Hello</p>' } }],
      transitions: [{ ...way, condition: null }],
    },
  };
}

async function startFor(name: string, id: string, email: string): Promise<Record<string, unknown>> {
  const contact = await call('lent', 'POST', '/contacts', { email });
  const started = await call(name, 'POST', `/workflows/${id}/executions`, { contact_id: contact.body.id });
  expect([started.status, started.text]).toEqual([201, started.text]);
  return eventually(async () => {
    const { body } = await call('lent', 'GET', `/workflows/${id}/executions/${started.body.id}`);
    return ['COMPLETED', 'FAILED'].includes(body.status as string) ? body : null;
  }, 'the execution has ended');
}

const subjects = async (): Promise<string[]> =>
  (await inboxMessages(suite.posthorn)).map(({ subject }) => subject);

describe('a workflow acts in the name of whoever enabled it', () => {
  it('reaches nobody outside of the sandbox for a TEST key', async () => {
    const { id, graph } = await build('test');
    expect((await call('test', 'PUT', `/workflows/${id}/graph`, graph)).status).toBe(200);
    expect((await call('test', 'POST', `/workflows/${id}/resume`)).status).toBe(200);
    const outsider = await startFor('lent', id, `outsider-${newId()}@shop.example`);
    expect([outsider['status'], outsider['reason']]).toEqual([
      'FAILED',
      'hello: A TEST key can send only to verified addresses of the owners and to the simulator',
    ]);
    expect(await subjects()).not.toContain(`By test ${id}`);
  });

  it('is not put, and not started, by a key that may not send', async () => {
    const { id, graph } = await build('silent');
    const put = await call('silent', 'PUT', `/workflows/${id}/graph`, graph);
    expect([put.status, put.body.code]).toEqual([403, 'scope_missing']);
    expect((await call('lent', 'PUT', `/workflows/${id}/graph`, graph)).status).toBe(200);
    const resume = await call('silent', 'POST', `/workflows/${id}/resume`);
    expect([resume.status, resume.body.code]).toEqual([403, 'scope_missing']);
  });

  it('fails its steps once the key is revoked', async () => {
    const { id, graph } = await build('lent');
    const { id: keyId, token } = (await suite.operator('keys', 'create', '--name', 'leaves')) as never;
    keys['leaves'] = { id: keyId, token };
    await call('leaves', 'PUT', `/workflows/${id}/graph`, graph);
    await call('leaves', 'POST', `/workflows/${id}/resume`);
    expect((await startFor('lent', id, `first-${newId()}@shop.example`))['status']).toBe('COMPLETED');
    await suite.operator('keys', 'revoke', '--id', keyId);
    const failed = await eventually(async () => {
      const ended = await startFor('lent', id, `later-${newId()}@shop.example`);
      return ended['status'] === 'FAILED' ? ended : null;
    }, 'the revocation is known');
    expect(failed['reason']).toMatch(/no longer/);
  });
});
