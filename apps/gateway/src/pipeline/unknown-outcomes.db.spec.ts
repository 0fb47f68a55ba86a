import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contacts, DomainError, templates, type CreatedApiKey } from '@posthorn/contracts';
import { standIn } from '@posthorn/testing';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';

let suite: GatewaySuite;
let key: CreatedApiKey;
beforeAll(async () => {
  suite = await startGatewaySuite();
  key = await suite.buildKey((await suite.buildProject()).projectId);
  // Services that take every call and answer none.
  for (const { subject } of [templates.lint, templates.preview, templates.create])
    suite.connection.nats.subscribe(`call.${subject}`);
  await suite.connection.nats.flush();
});
afterAll(() => suite.stop());

const template = { name: 'Welcome', subject: 'Hello', body: '<p>Hello</p>' };
const post = (path: string, body: object) => request('POST', path, body);
const request = async (method: 'POST' | 'PATCH', path: string, body: object) => {
  const { status, text, headers } = await suite.request(method, path, { key: key.token, body });
  return { status, text, retryAfter: headers.get('retry-after') };
};

describe.each(['/api/v1', '/api'])('a request below %s whose service did not answer in time', (prefix) => {
  it('timed out where it only reads, and has an unknown outcome where it writes', async () => {
    const [linted, previewed, created] = await Promise.all([
      post(`${prefix}/templates/lint`, { body: '<p>Hello</p>' }),
      post(`${prefix}/templates/${crypto.randomUUID()}/preview`, {}),
      post(`${prefix}/templates`, template),
    ]);
    for (const { status, text, retryAfter } of [linted, previewed]) {
      expect([status, retryAfter]).toEqual([504, '1']);
      expect(text).not.toMatch(/outcome/);
    }
    expect(created.status).toBe(500);
    expect(created.text).toMatch(/outcome is unknown/);
  });

  it('is unavailable where it writes and a service behind its own did not answer', async () => {
    const leave = await standIn(suite.connection, contacts.update, () =>
      Promise.reject(new DomainError('timeout', 'internal_error', 'The service is temporarily unavailable')),
    );
    try {
      const path = `${prefix}/contacts/${crypto.randomUUID()}`;
      const updated = await request('PATCH', path, { subscribed: false });
      expect([updated.status, updated.retryAfter]).toEqual([503, '1']);
    } finally {
      await leave();
    }
  });
});
