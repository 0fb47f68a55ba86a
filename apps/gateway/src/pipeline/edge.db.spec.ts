import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  apiKeys,
  projects,
  scopes,
  type CreateApiKey,
  type CreatedApiKey,
  type Scope,
} from '@posthorn/contracts';
import { mintToken } from '../api-keys/api-key-token.js';
import { routeSources } from '../all-routes.js';
import {
  operatorOf,
  startGatewaySuite,
  type Request,
  type GatewaySuite,
  type SignedIn,
  type Published,
} from '../testing/gateway-suite.js';
import { challenge } from '../testing/walk/dialect-shapes.js';
import { routeTable, type Route } from '../routes/route-table.js';
import { callersOf, scopesOf } from '../routes/route.js';

// Those of people alone are walked with every kind of caller elsewhere.
const table = {
  routes: routeTable(routeSources).routes.filter(({ declaration }) =>
    callersOf(declaration).includes('SECRET'),
  ),
};
const id = '019b0000-0000-7000-8000-000000000001';
const pathOf = ({ path }: Route, project = projectId) =>
  path.replace(':projectId', project).replace(':email', 'nobody@example.test').replace(/:\w+/g, id);
const isForKeys = ({ declaration }: Route) => callersOf(declaration).includes('SECRET');
/** Whoever a route is open to: a key, or else a person. */
const admitted = (route: Route): Request => (isForKeys(route) ? { key: key.token } : { as: owner });
/** A project has so many keys: routes with the same scope share theirs. */
const keyOf = (wanted: Partial<CreateApiKey>): Promise<CreatedApiKey> => {
  const name = JSON.stringify(wanted);
  const stored = keys.get(name) ?? suite.buildKey(projectId, wanted);
  keys.set(name, stored);
  return stored;
};
const keys = new Map<string, Promise<CreatedApiKey>>();
const codeOf = ({ json }: Published) => json['code'] ?? (json['error'] as { code: string } | undefined)?.code;
const send = { to: 'a@example.test', subject: 's', body: 'b' };

let suite: GatewaySuite;
let projectId: string;
let key: CreatedApiKey;
let owner: SignedIn;

beforeAll(async () => {
  suite = await startGatewaySuite();
  ({ projectId } = await suite.buildProject());
  key = await suite.buildKey(projectId);
  owner = await suite.buildUser({ projectId });
});
afterAll(() => suite.stop());

describe('every route', () => {
  it.each(table.routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s refuses strangers and too little scope',
    async (_, route) => {
      const others = scopes.filter((scope): scope is Scope => !scopesOf(route.declaration).includes(scope));
      const lacking = await keyOf({ scopes: others });
      const open = await keyOf({ legacyGrantPreset: 'SENDING_ONLY' });
      const none = await suite.request(route.method, pathOf(route));
      expect([none.status, String(codeOf(none)).toLowerCase(), none.headers.get('www-authenticate')]).toEqual(
        [401, isForKeys(route) ? 'invalid_api_key' : 'invalid_session', expect.stringMatching(challenge)],
      );
      const scopeless = await suite.request(route.method, pathOf(route), { key: lacking.token });
      expect([scopeless.status, String(codeOf(scopeless)).toLowerCase()]).toEqual(
        isForKeys(route) ? [403, 'scope_missing'] : [401, 'invalid_session'],
      );
      const publicly = await suite.request(route.method, pathOf(route), { key: open.token });
      if (isForKeys(route))
        expect(publicly.status === 403).toBe(!callersOf(route.declaration).includes('PUBLIC'));
      else expect(publicly.status).toBe(401);
      expect(none.headers.get('content-type')).toBe(
        route.surface === 'v1' ? 'application/problem+json' : 'application/json; charset=utf-8',
      );
    },
  );

  it.each(
    table.routes
      .filter(({ ids }) => ids.length > 0)
      .map((route) => [`${route.method} ${route.path}`, route] as const),
  )('%s answers a malformed id like a stranger’s', async (_, route) => {
    const published = await suite.request(
      route.method,
      route.path.replace(':projectId', projectId).replace(/:\w+/g, "'%00;--"),
      {
        ...admitted(route),
        body: route.method === 'GET' ? undefined : '{}',
      },
    );
    expect([published.status, String(codeOf(published)).toLowerCase()]).toEqual([404, 'resource_not_found']);
  });

  it.each(
    table.routes
      .filter(({ declaration }) => declaration.body)
      .map((route) => [`${route.method} ${route.path}`, route] as const),
  )('%s refuses what is no body of its own', async (_, route) => {
    const refusals: [string | Uint8Array, Record<string, string>, number][] = [
      ['{"a":', {}, 400],
      ['{"a":1,"a":1}', {}, 400],
      [new Uint8Array([0x7b, 0xff, 0x7d]), {}, 400],
      ['a=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
      ['[]', {}, 422],
      ['{"__proto__":{"a":1},"no_such_member":1}', {}, 422],
      ['{"email":"\\ud800"}', {}, 422],
      [`{"email":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, {}, 422],
      ['x'.repeat((route.declaration.bodyLimit ?? 1024 * 1024) + 1), {}, 413],
    ];
    for (const [body, headers, status] of refusals) {
      const published = await suite.request(route.method, pathOf(route), {
        ...admitted(route),
        body,
        headers,
      });
      expect([published.status, String(codeOf(published)).toLowerCase()]).toEqual([
        status,
        'validation_error',
      ]);
      expect(published.text).not.toMatch(/node_modules|at \w+ \(|SELECT/);
    }
  });

  it('carries the security headers on success and failure', async () => {
    for (const published of [
      await suite.request('GET', '/healthz'),
      await suite.request('GET', '/nowhere'),
      await suite.request('GET', '/api/v1/emails/%zz'),
    ]) {
      expect(published.headers.get('x-content-type-options')).toBe('nosniff');
      expect(published.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
  });
});

describe('what is no route', () => {
  it.each([
    ['GET', '/api/v1/nowhere', 404, null],
    ['GET', '/api/nowhere', 404, null],
    ['GET', '/nowhere', 404, null],
    ['POST', '/api/v1/emails/%zz', 404, null],
    ['DELETE', '/api/v1/emails', 405, 'POST, GET, HEAD'],
    ['PUT', '/api/contacts/x', 405, 'GET, PATCH, DELETE, HEAD'],
  ])('%s %s is %i in the dialect of its prefix', async (method, path, status, allow) => {
    const published = await suite.request(method, path, { key: key.token });
    expect([published.status, published.headers.get('allow')]).toEqual([status, allow]);
    if (path.startsWith('/api/v1'))
      expect(published.json).toMatchObject({
        code: 'resource_not_found',
        status,
        instance: path,
        request_id: expect.any(String),
      });
    else
      expect(published.json).toEqual({
        success: false,
        error: { code: 'RESOURCE_NOT_FOUND', message: expect.any(String) },
      });
  });
});

describe('what is no HTTP', () => {
  it.each([
    ['GET / HTTP/1.1\r\nno colon\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
    [`GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`, 'HTTP/1.1 431 '],
    ['POST /api/emails HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
  ])('is answered in the legacy shape', async (request, line) => {
    const socket = connect(suite.gateway.port, '127.0.0.1');
    socket.write(request);
    const answer = (await socket.toArray()).join('');
    expect(answer.startsWith(line)).toBe(true);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
      success: false,
      error: { code: 'VALIDATION_ERROR' },
    });
  });
});

describe('a page of another origin', () => {
  it('may call what is open to public keys, and nothing else', async () => {
    const preflight = await suite.request('OPTIONS', '/api/v1/emails', {
      headers: { origin: 'https://shop.example' },
    });
    expect([
      preflight.status,
      preflight.headers.get('access-control-allow-origin'),
      preflight.headers.get('access-control-allow-methods'),
    ]).toEqual([204, '*', 'POST']);
    const sent = await suite.request('POST', '/api/v1/emails', { body: send });
    expect([sent.status, sent.headers.get('access-control-allow-origin')]).toEqual([401, '*']);
    for (const [method, path] of [
      ['OPTIONS', '/api/v1/contacts'],
      ['GET', '/api/v1/emails'],
    ] as const) {
      expect((await suite.request(method, path)).headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});

describe('a key', () => {
  it('is refused with a wrong checksum, unknown, in two headers, and where the header is huge', async () => {
    const status = async (authorization: string) =>
      (await suite.request('GET', '/api/v1/contacts', { headers: { authorization } })).status;
    expect(await status(`Bearer ${key.token.slice(0, -1)}!`)).toBe(401);
    expect(await status(`Bearer ${mintToken('FULL', 'LIVE')}`)).toBe(401);
    expect(await status(`Basic ${key.token}`)).toBe(401);
    expect(await status(`Bearer ${'x'.repeat(9_000)}`)).toBe(401);
  });

  it('is dead within a second of its revocation', async () => {
    const { id: keyId, token } = await suite.buildKey(projectId);
    expect((await suite.request('GET', '/api/v1/contacts', { key: token })).status).toBe(503);
    await suite.bus.call(apiKeys.revoke, operatorOf(projectId), { id: keyId });
    await delay(1_000);
    const published = await suite.request('GET', '/api/v1/contacts', { key: token });
    expect([published.status, codeOf(published)]).toEqual([401, 'invalid_api_key']);
  });

  it('of a disabled project reads and takes away, and does nothing else, until it is enabled', async () => {
    const disabled = await suite.buildProject();
    const { token } = await suite.buildKey(disabled.projectId);
    await suite.bus.call(projects.disable, disabled.caller, { id: disabled.projectId, reason: 'MANUAL' });
    for (const route of table.routes.filter(isForKeys)) {
      const path = pathOf(route, disabled.projectId);
      const published = await suite.request(route.method, path, {
        key: token,
        body: route.method === 'GET' ? undefined : {},
      });
      const blocks =
        route.method === 'POST' && /suppression|unsubscribe$|imports\/:id\/cancel$/.test(route.path);
      const takes = route.method === 'DELETE' && /contacts|lists|api-keys/.test(route.path);
      const allowed = route.method === 'GET' || blocks || takes;
      expect(String(codeOf(published)).toLowerCase() === 'project_disabled').toBe(!allowed);
    }
    await suite.bus.call(projects.enable, disabled.caller, { id: disabled.projectId });
    await delay(1_000);
    expect((await suite.request('POST', '/api/v1/emails', { key: token, body: send })).status).toBe(503);
  });

  it('leaves a trace of its use', async () => {
    const { id: keyId, token } = await suite.buildKey(projectId);
    await suite.request('GET', '/api/v1/contacts', { key: token });
    const { keys } = await suite.bus.call(apiKeys.list, operatorOf(projectId), {});
    const found = keys.find((each) => each.id === keyId)!;
    expect(found).toMatchObject({ lastFour: token.slice(-4), revokedAt: null });
    expect([null, expect.any(Date)]).toContainEqual(found.lastUsedAt);
    expect(JSON.stringify(keys)).not.toContain(token);
  });
});

describe('an idempotency key', () => {
  it.each(['', 'x'.repeat(256)])('of the wrong length is refused', async (value) => {
    const published = await suite.request('POST', '/api/v1/emails', {
      key: key.token,
      body: send,
      headers: { 'idempotency-key': value },
    });
    expect([published.status, codeOf(published), published.json['errors']]).toEqual([
      422,
      'validation_error',
      undefined,
    ]);
  });
});
