import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKeyEvents, projects } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { apiKeysFixture, codeOf, pathOf } from '../testing/api-keys-fixture.js';
import { startGatewaySuite, type Request, type GatewaySuite } from '../testing/gateway-suite.js';

let suite: GatewaySuite;
let fixture: ReturnType<typeof apiKeysFixture>;
beforeAll(async () => {
  suite = await startGatewaySuite();
  fixture = apiKeysFixture(suite);
});
afterAll(() => suite.stop());

describe('a key', () => {
  it('can be rotated: the old secret stops working; id, name and scopes stay', async () => {
    const { projectId, owner } = await fixture.buildOwned();
    const { token, ...key } = await suite.buildKey(projectId, { scopes: ['projects:read'] });
    const published = await suite.request('POST', `${pathOf(projectId)}/${key.id}/rotate`, owner);
    expect([published.status, published.json]).toMatchObject([
      200,
      { id: key.id, name: key.name, scopes: ['projects:read'] },
    ]);
    expect(published.json['last_four']).not.toBe(key.lastFour);
    const fresh = await fixture.tokenOf(published, owner);
    const request = async (by: string) =>
      (await suite.request('GET', `/api/v1/projects/${projectId}`, { key: by })).status;
    expect([await request(fresh), await request(token)]).toEqual([200, 401]);
    expect(await suite.eventsOf(projectId, apiKeyEvents.changed)).toMatchObject([{ keyId: key.id }]);
    expect(
      (await suite.request('POST', `/api/projects/${projectId}/api-keys/${key.id}/rotate`, owner)).json,
    ).toMatchObject({
      data: { id: key.id },
    });
  });

  it('can be rotated only by a credential with at least its rights, and not once it is revoked', async () => {
    const { projectId, owner } = await fixture.buildOwned();
    const weak = await suite.buildKey(projectId, { scopes: ['api-keys:write', 'emails:send'] });
    const strong = await suite.buildKey(projectId);
    const rotate = (id: string, by: Request, prefix = '/api') =>
      suite.request('POST', `${prefix}/projects/${projectId}/api-keys/${id}/rotate`, by);
    expect(codeOf(await rotate(strong.id, { key: weak.token }))).toEqual([400, 'SCOPE_ESCALATION']);
    expect((await rotate(weak.id, { key: weak.token })).status).toBe(200);
    await suite.request('DELETE', `${pathOf(projectId)}/${strong.id}`, owner);
    expect(codeOf(await rotate(strong.id, owner))).toEqual([400, 'KEY_REVOKED']);
    expect(codeOf(await rotate(strong.id, owner, '/api/v1'))).toEqual([400, 'validation_error']);
    expect(
      codeOf(
        await suite.request('PATCH', `${pathOf(projectId)}/${strong.id}`, { ...owner, body: { name: 'x' } }),
      ),
    ).toEqual([400, 'validation_error']);
  });

  it('can be renamed and reduced; a credential with fewer rights cannot widen it, and one scope must remain', async () => {
    const { projectId, owner } = await fixture.buildOwned();
    const lesser = await suite.buildKey(projectId, { scopes: ['api-keys:write', 'emails:send'] });
    const key = await suite.buildKey(projectId);
    const patch = (by: Request, body: object, id = key.id) =>
      suite.request('PATCH', `${pathOf(projectId)}/${id}`, { ...by, body });
    expect((await patch(owner, {})).json).toMatchObject({ name: 'A key', scopes: [] });
    expect((await patch(owner, { name: 'B', scopes: ['emails:send', 'emails:send'] })).json).toMatchObject({
      name: 'B',
      scopes: ['emails:send'],
    });
    for (const body of [
      { scopes: [] },
      { scopes: ['none'] },
      { mode: 'TEST' },
      { name: '' },
      { scopes: null },
    ]) {
      expect([body, (await patch(owner, body)).status]).toEqual([body, 422]);
    }
    expect(
      codeOf(await patch({ key: lesser.token }, { scopes: ['api-keys:write', 'contacts:read'] }, lesser.id)),
    ).toEqual([400, 'validation_error']);
    expect((await patch({ key: lesser.token }, { scopes: ['api-keys:write'] }, lesser.id)).status).toBe(200);
    await delay(1_000);
    expect(codeOf(await suite.request('POST', '/api/v1/emails', { key: lesser.token, body: {} }))).toEqual([
      403,
      'scope_missing',
    ]);
  });

  it('is revoked once, on both surfaces, even while the project is disabled', async () => {
    const { projectId, caller, owner } = await fixture.buildOwned();
    const [one, two] = [await suite.buildKey(projectId), await suite.buildKey(projectId)];
    await suite.bus.call(projects.disable, caller, { id: projectId, reason: 'MANUAL' });
    expect((await suite.request('DELETE', `${pathOf(projectId)}/${one.id}`, owner)).json).toEqual({
      id: one.id,
      deleted: true,
    });
    expect(
      (await suite.request('DELETE', `/api/projects/${projectId}/api-keys/${two.id}`, owner)).json,
    ).toEqual({ success: true });
    expect((await suite.request('DELETE', `${pathOf(projectId)}/${one.id}`, owner)).status).toBe(200);
    expect(codeOf(await fixture.create(projectId, owner, {}))).toEqual([403, 'project_disabled']);
    expect((await suite.request('GET', pathOf(projectId), owner)).status).toBe(200);
    expect(await suite.eventsOf(projectId, apiKeyEvents.revoked)).toHaveLength(2);
    await delay(1_000);
    expect(codeOf(await suite.request('GET', `/api/v1/projects/${projectId}`, { key: one.token }))).toEqual([
      401,
      'invalid_api_key',
    ]);
  });

  it('of another project gets the same response as an unknown key', async () => {
    const [mine, theirs] = [await fixture.buildOwned(), await fixture.buildOwned()];
    const foreign = await suite.buildKey(theirs.projectId);
    const text = new Set<string>();
    for (const id of [foreign.id, newId(), 'no-id', '%00']) {
      const requests: [string, string, object?][] = [
        ['GET', ''],
        ['PATCH', '', {}],
        ['DELETE', ''],
        ['POST', '/rotate'],
      ];
      for (const [method, end, body] of requests) {
        const path = `${pathOf(mine.projectId)}/${id}${end}`;
        const published = await suite.request(method, path, { ...mine.owner, body });
        expect(published.status).toBe(404);
        text.add(published.text.replace(path, '').replace(/"request_id":"[^"]*"/, ''));
      }
    }
    expect(text.size).toBe(1);
  });
});
