import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { templates, type CreatedApiKey } from '@posthorn/contracts';
import { startGatewaySuite, type GatewaySuite } from '../../testing/gateway-suite.js';

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
const post = async (path: string, body: object) => {
  const { status, text, headers } = await suite.request('POST', path, { key: key.token, body });
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
  }, 30_000);
});
