import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { apiKeyEvents, domains, scopes, type Scope, SendingDomain } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { standIn } from '@posthorn/testing';
import { apiKeysFixture, codeOf, pathOf } from '../testing/api-keys-fixture.js';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';

let suite: GatewaySuite;
let fixture: ReturnType<typeof apiKeysFixture>;
beforeAll(async () => {
  suite = await startGatewaySuite();
  fixture = apiKeysFixture(suite);
});
afterAll(() => suite.stop());

describe('API keys over HTTP', () => {
  it('are created without their secret and publish an event', async () => {
    const { projectId, owner } = await fixture.buildOwned();
    const published = await fixture.create(projectId, owner, {
      legacy_grant_preset: 'SENDING_ONLY',
      mode: 'TEST',
    });
    expect([published.status, published.json]).toEqual([
      201,
      {
        id: expect.any(String),
        project_id: projectId,
        name: 'Made',
        last_four: expect.stringMatching(/^\w{4}$/),
        legacy_grant_preset: 'SENDING_ONLY',
        mode: 'TEST',
        scopes: [],
        domain_id: null,
        confine: null,
        last_used_at: null,
        created_at: expect.any(String),
        revoked_at: null,
        reveal_url: expect.stringContaining(`http://localhost:3000/api/projects/${projectId}/api-keys/`),
        reveal_expires_at: expect.any(String),
      },
    ]);
    const inFive = Date.parse(String(published.json['reveal_expires_at'])) - Date.now();
    expect(inFive).toBeGreaterThan(290_000);
    expect(inFive).toBeLessThanOrEqual(300_500);
    expect(await fixture.tokenOf(published, owner)).toMatch(
      new RegExp(`^pk_test_\\w{38}${String(published.json['last_four'])}$`),
    );
    expect(await suite.eventsOf(projectId, apiKeyEvents.created)).toMatchObject([
      { keyId: published.json['id'] },
    ]);
    const legacy = await suite.request('POST', `/api/projects/${projectId}/api-keys`, {
      ...owner,
      body: { name: 'Old' },
    });
    expect([legacy.status, legacy.json]).toMatchObject([
      201,
      { success: true, data: { legacyGrantPreset: 'FULL', revealUrl: expect.any(String) } },
    ]);
  });

  it('are listed including revoked ones: in pages on v1, all at once on legacy', async () => {
    const { projectId, owner } = await fixture.buildOwned();
    const ids: unknown[] = [];
    for (const name of ['a', 'b', 'c'])
      ids.unshift((await fixture.create(projectId, owner, { name })).json['id']);
    await suite.request('DELETE', `${pathOf(projectId)}/${String(ids[1])}`, owner);
    const first = await suite.request('GET', `${pathOf(projectId)}?limit=2`, owner);
    const second = await suite.request(
      'GET',
      `${pathOf(projectId)}?limit=2&after=${String(first.json['next_cursor'])}`,
      owner,
    );
    const listed = [first, second].flatMap(
      ({ json }) => json['data'] as { id: string; revoked_at: string | null }[],
    );
    expect(listed.map(({ id, revoked_at }) => [id, revoked_at !== null])).toEqual([
      [ids[0], false],
      [ids[1], true],
      [ids[2], false],
    ]);
    expect(first.text + second.text).not.toMatch(/token|hash|[sp]k_(live|test)_/);
    const legacy = `/api/projects/${projectId}/api-keys`;
    expect((await suite.request('GET', legacy, owner)).json).toEqual({
      success: true,
      data: ids.map((id) => expect.objectContaining({ id })),
    });
    expect((await suite.request('GET', `${legacy}?limit=1`, owner)).status).toBe(422);
    expect((await suite.request('GET', `${pathOf(projectId)}/${String(ids[1])}`, owner)).json).toMatchObject({
      revoked_at: expect.any(String),
    });
  });

  it('can be managed by owners, admins and credentials with the scope', async () => {
    const { projectId } = await fixture.buildOwned();
    const admin = { as: await suite.buildUser({ projectId, role: 'ADMIN' }) };
    const member = { as: await suite.buildUser({ projectId, role: 'MEMBER' }) };
    expect((await fixture.create(projectId, admin, {})).status).toBe(201);
    expect(codeOf(await fixture.create(projectId, member, {}))).toEqual([403, 'scope_missing']);
    expect(codeOf(await suite.request('GET', pathOf(projectId), member))).toEqual([403, 'scope_missing']);
    const { token } = await suite.buildKey(projectId, { scopes: ['api-keys:read'] });
    expect(codeOf(await fixture.create(projectId, { key: token }, { scopes: ['api-keys:read'] }))).toEqual([
      403,
      'scope_missing',
    ]);
    expect((await suite.request('GET', pathOf(projectId), { key: token })).status).toBe(200);
  });

  it('refuse invalid bodies', async () => {
    const { projectId, owner } = await fixture.buildOwned();
    const bodies = [
      ...[
        { name: '' },
        { name: 'x'.repeat(101) },
        { name: 'a\0b' },
        { name: null },
        { token: 'x' },
        { mode: 'BOTH' },
      ],
      ...[
        { scopes: ['emails:everything'] },
        { scopes: 'emails:send' },
        { legacy_grant_preset: 'SENDING_ONLY', scopes: ['emails:read'] },
      ],
      ...[{ domain_id: 'no-id' }, { scopes: Array.from({ length: 39 }, () => 'emails:send') }],
    ];
    for (const body of bodies)
      expect([body, ...codeOf(await fixture.create(projectId, owner, body))]).toEqual([
        body,
        422,
        'validation_error',
      ]);
  });

  it('can be restricted to a domain of the project only', async () => {
    const { projectId, owner } = await fixture.buildOwned();
    const domain = Object.assign(new SendingDomain(), {
      id: newId(),
      domain: 'example.test',
      verified: true,
    });
    const stop = await standIn(suite.connection, domains.list, () =>
      Promise.resolve({ items: [domain], hasMore: false, next: null }),
    );
    const made = await fixture.create(projectId, owner, { domain_id: domain.id });
    expect([made.status, made.json['domain_id']]).toEqual([201, domain.id]);
    const refused = await fixture.create(projectId, owner, { domain_id: newId() });
    expect([refused.status, refused.json['errors']]).toMatchObject([
      422,
      [{ pointer: '/domain_id', code: 'not_found' }],
    ]);
    await stop();
  });

  it('are limited to two hundred active ones, also under concurrency', async () => {
    const { projectId, owner } = await fixture.buildOwned();
    await suite.database.query(
      `INSERT INTO api_keys (project_id, id, name, token_hash, last_four, legacy_grant_preset, mode, scopes, created_at)
       SELECT $1, gen_random_uuid(), 'k', md5(n::text) || md5($2 || n::text), 'four', 'FULL', 'LIVE', '{}', now() FROM generate_series(1, 198) AS n`,
      [projectId, projectId],
    );
    const published = await Promise.all([1, 2, 3, 4].map(() => fixture.create(projectId, owner, {})));
    expect(published.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    await suite.request(
      'DELETE',
      `${pathOf(projectId)}/${String(published.find(({ status }) => status === 201)!.json['id'])}`,
      owner,
    );
    expect((await fixture.create(projectId, owner, {})).status).toBe(201);
  });
});

describe('a key created by a key', () => {
  const attempts: [string, Scope[], object, boolean][] = [
    [
      'the same scopes',
      ['api-keys:write', 'emails:send'],
      { scopes: ['emails:send', 'api-keys:write'] },
      true,
    ],
    ['less', ['api-keys:write', 'emails:send'], { scopes: ['emails:send'] }, true],
    [
      'a preset within its scopes',
      ['api-keys:write', 'emails:send'],
      { legacy_grant_preset: 'SENDING_ONLY' },
      true,
    ],
    [
      'a preset beyond its scopes',
      ['api-keys:write', 'emails:read'],
      { legacy_grant_preset: 'SENDING_ONLY' },
      false,
    ],
    ['the full preset by default', ['api-keys:write', 'emails:send'], {}, false],
    ['the full preset by an empty list', ['api-keys:write', 'emails:send'], { scopes: [] }, false],
    [
      'an additional scope',
      ['api-keys:write', 'emails:send'],
      { scopes: ['emails:send', 'emails:read'] },
      false,
    ],
    ['all scopes by all scopes', [...scopes], {}, true],
    ['all scopes but one', scopes.filter((scope) => scope !== 'lists:write'), {}, false],
  ];

  it.each(attempts)('can have %s: %p by %p', async (_, held, wanted, allowed) => {
    const { projectId } = await suite.buildProject();
    const { token } = await suite.buildKey(projectId, { scopes: held });
    const published = await fixture.create(projectId, { key: token }, wanted);
    if (allowed) return expect(published.status).toBe(201);
    expect(codeOf(published)).toEqual([400, 'validation_error']);
    const camel =
      'legacy_grant_preset' in wanted ? { legacyGrantPreset: wanted.legacy_grant_preset } : wanted;
    const legacy = await suite.request('POST', `/api/projects/${projectId}/api-keys`, {
      key: token,
      body: { name: 'x', ...camel },
    });
    expect(codeOf(legacy)).toEqual([400, 'SCOPE_ESCALATION']);
    expect((await suite.eventsOf(projectId, apiKeyEvents.created)).length).toBe(1);
  });

  it('keeps the sandbox and domain restrictions of its creator', async () => {
    const { projectId } = await suite.buildProject();
    const test = await suite.buildKey(projectId, { mode: 'TEST' });
    expect(codeOf(await fixture.create(projectId, { key: test.token }, {}))).toEqual([
      400,
      'validation_error',
    ]);
    expect((await fixture.create(projectId, { key: test.token }, { mode: 'TEST' })).status).toBe(201);
    const confined = await suite.buildKey(projectId, { domainId: newId() });
    expect(codeOf(await fixture.create(projectId, { key: confined.token }, {}))).toEqual([
      400,
      'validation_error',
    ]);
    const live = await suite.buildKey(projectId);
    expect(
      codeOf(await suite.request('POST', `${pathOf(projectId)}/${live.id}/rotate`, { key: test.token })),
    ).toEqual([400, 'validation_error']);
  });

  it('never has more scopes than its creator, even if that is reduced at the same time', async () => {
    const { projectId, owner } = await fixture.buildOwned();
    for (let round = 0; round < 12; round += 1) {
      const maker = await suite.buildKey(projectId, {
        scopes: ['api-keys:write', 'contacts:read', 'emails:send'],
      });
      const creations = [1, 2, 3].map(() =>
        fixture.create(projectId, { key: maker.token }, { scopes: ['contacts:read'] }),
      );
      const reduction = suite.request('PATCH', `${pathOf(projectId)}/${maker.id}`, {
        ...owner,
        body: { scopes: ['api-keys:write', 'emails:send'] },
      });
      const [reduced, ...made] = await Promise.all([reduction, ...creations]);
      expect(reduced.status).toBe(200);
      const events = await suite.database.query<{ event: string; items: { keyId: string }[] }>(
        `SELECT event_name AS event, items FROM outbox WHERE project_id = $1 ORDER BY id`,
        [projectId],
      );
      const order = events.map(({ event, items }) => `${event} ${items[0]!.keyId}`);
      const end = order.indexOf(`${apiKeyEvents.changed.name} ${maker.id}`);
      for (const { status, json } of made) {
        if (status === 201)
          expect(order.indexOf(`${apiKeyEvents.created.name} ${String(json['id'])}`)).toBeLessThan(end);
        else expect([400, 401]).toContain(status);
      }
      // The guard may cache the scopes for a second; creation does not rely on that.
      expect(
        codeOf(await fixture.create(projectId, { key: maker.token }, { scopes: ['contacts:read'] })),
      ).toEqual([400, 'validation_error']);
    }
  });

  it('is not created by a key that is revoked at the same time', async () => {
    const { projectId, owner } = await fixture.buildOwned();
    for (let round = 0; round < 8; round += 1) {
      const maker = await suite.buildKey(projectId);
      const [revoked] = await Promise.all([
        suite.request('DELETE', `${pathOf(projectId)}/${maker.id}`, owner),
        ...[1, 2, 3].map(() => fixture.create(projectId, { key: maker.token }, {})),
      ]);
      expect(revoked.status).toBe(200);
      expect(codeOf(await fixture.create(projectId, { key: maker.token }, {}))).toEqual([
        401,
        'invalid_api_key',
      ]);
    }
  });
});
