import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { contactImports, type ContactImport } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { standIn } from '@posthorn/testing';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';
import { maxOpenStreams } from '../pipeline/stream-responder.js';

let suite: GatewaySuite;
let leave: () => Promise<void>;
const open: AbortController[] = [];
beforeAll(async () => {
  suite = await startGatewaySuite();
  // A stand-in for contacts: an import that never ends.
  leave = await standIn(suite.connection, contactImports.get, async ({ id }) => runningImport(id));
});
afterEach(() => open.splice(0).forEach((client) => client.abort()));
afterAll(async () => {
  await leave();
  await suite.stop();
});

const runningImport = (id: string) =>
  ({
    id,
    status: 'RUNNING',
    total: 10,
    processed: 1,
    created: 1,
    updated: 0,
    skipped: 0,
    failed: 0,
    unchanged: 0,
    createdAt: new Date(0),
    startedAt: new Date(0),
    finishedAt: null,
  }) as unknown as ContactImport;

async function follow(key: string): Promise<Response> {
  const client = new AbortController();
  open.push(client);
  return fetch(`http://127.0.0.1:${suite.gateway.port}/api/v1/contacts/imports/${newId()}`, {
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    signal: client.signal,
  });
}

describe('event streams', () => {
  it('end soon after their credential, without an error', async () => {
    const { projectId } = await suite.buildProject();
    const { id, token } = await suite.buildKey(projectId);
    const response = await follow(token);
    expect(response.status).toBe(200);
    const reader = response.body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toContain('event: progress');
    const owner = await suite.buildUser({ projectId });
    await suite.request('DELETE', `/api/v1/projects/${projectId}/api-keys/${id}`, { as: owner });
    for (let part = await reader.read(); !part.done;) part = await reader.read();
    expect((await follow(token)).status).toBe(401);
  });

  it('are limited in each project, and one that is closed makes room', async () => {
    const [many, other] = await Promise.all([suite.buildProject(), suite.buildProject()]);
    const [{ token }, { token: otherToken }] = await Promise.all([
      suite.buildKey(many.projectId),
      suite.buildKey(other.projectId),
    ]);
    const responses = await Promise.all(Array.from({ length: maxOpenStreams }, () => follow(token)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await follow(token);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await refused.json()).toMatchObject({
      code: 'rate_limited',
      detail: expect.stringContaining('20'),
    });
    expect((await follow(otherToken)).status).toBe(200);
    open[0]!.abort();
    for (let next = await follow(token); next.status !== 200;) next = await follow(token);
  });
});
