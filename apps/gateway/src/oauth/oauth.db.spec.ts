import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { roleScopes, scopes } from '@posthorn/contracts';
import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import * as oauth from 'oauth4webapi';
import { callback, Application, decide, fetchFrom } from '../testing/application.js';
import { join } from '../testing/people.js';
import { origin, startPeopleSuite, type PeopleSuite, type Visitor } from '../testing/people-suite.js';
import { isDelegatedToken } from './delegated-token.js';

let suite: PeopleSuite;
let ada: Visitor;
let adaId: string;
let projectId: string;
let notebook: Application;
const reading = 'contacts:read lists:read';
const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'no error',
    (error: unknown) =>
      error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError ? error.error : String(error),
  );

beforeAll(async () => {
  suite = await startPeopleSuite();
  ada = await suite.buildPerson('ada@example.com');
  const [row] = await suite.database.query<{ id: string }>(`SELECT id FROM auth_users WHERE email = 'ada@example.com'`);
  adaId = row!.id;
  ({ projectId } = await suite.buildProject());
  await join(suite.database, projectId, { userId: adaId }, 'OWNER');
  notebook = await Application.register(suite);
});
afterAll(() => suite.stop());

const get = (path: string, token: string) => suite.ask('GET', path, { key: token });
const post = (path: string, token: string, body: unknown) => suite.ask('POST', path, { key: token, body });

describe('an application that a person lets in', () => {
  it('is told of the server and of the resource, and asked for a token by whoever refuses it', async () => {
    const refused = await suite.ask('GET', '/api/v1/contacts');
    const [, pointer] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate')!)!;
    const resource = new URL(`${origin}/api`);
    const told = await oauth.processResourceDiscoveryResponse(resource, await oauth.resourceDiscoveryRequest(resource, notebook.options));
    expect([pointer, told.authorization_servers]).toEqual([`${origin}/.well-known/oauth-protected-resource/api`, [`${origin}/api/auth`]]);
    expect(notebook.server).toMatchObject({
      issuer: `${origin}/api/auth`,
      code_challenge_methods_supported: ['S256'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      response_types_supported: ['code'],
      scopes_supported: [...scopes, 'offline_access'],
    });
    for (const end of ['authorization', 'token', 'registration', 'revocation', 'introspection'] as const)
      expect(notebook.server[`${end}_endpoint`]).toMatch(new RegExp(`^${origin}/api/auth/oauth2/`));
  });

  it('acts in the one project, with the scopes that were asked for', async () => {
    const tokens = await notebook.letIn(ada, projectId, reading);
    expect([isDelegatedToken(tokens.access_token), tokens.expires_in, tokens.refresh_token]).toEqual([true, 3_600, undefined]);
    expect(tokens.scope).toBe(reading);
    expect((await get('/api/v1/contacts', tokens.access_token)).status).not.toBe(401);
    const beyond = await post('/api/v1/contacts', tokens.access_token, { email: 'x@example.com' });
    expect([beyond.status, beyond.json['code']]).toEqual([403, 'scope_missing']);
    const elsewhere = await get(`/api/v1/projects/${(await suite.buildProject()).projectId}/api-keys`, tokens.access_token);
    expect([elsewhere.status, elsewhere.json['code']]).toEqual([403, 'project_access_denied']);
  });

  it('gets no more than the role has, and less when the role is reduced', async () => {
    const grace = await suite.buildPerson('grace@example.com');
    const [{ id }] = (await suite.database.query<{ id: string }>(`SELECT id FROM auth_users WHERE email = 'grace@example.com'`)) as [
      { id: string },
    ];
    await join(suite.database, projectId, { userId: id }, 'MEMBER');
    const wanted = 'contacts:read api-keys:write';
    const tokens = await notebook.letIn(grace, projectId, wanted);
    const hers = wanted.split(' ').filter((scope) => (roleScopes.MEMBER as readonly string[]).includes(scope));
    expect(tokens.scope).toBe(hers.join(' '));
    const made = await post(`/api/v1/projects/${projectId}/api-keys`, tokens.access_token, { name: 'A key' });
    expect([made.status, made.json['code']]).toEqual([403, 'scope_missing']);
    await suite.database.query(`DELETE FROM members WHERE user_id = $1`, [id]);
    const [left] = await suite.database.query(`SELECT count(*)::int AS count FROM oauth_access_tokens WHERE "userId" = $1`, [id]);
    expect(left).toEqual({ count: 0 });
  });

  it('makes keys within its own reach only', async () => {
    const { access_token: token } = await notebook.letIn(ada, projectId, 'api-keys:write contacts:read');
    const path = `/api/v1/projects/${projectId}/api-keys`;
    const within = await post(path, token, { name: 'Within', scopes: ['contacts:read'] });
    const beyond = await post(path, token, { name: 'Beyond', scopes: ['contacts:write'] });
    const preset = await post(path, token, { name: 'Preset', legacy_grant_preset: 'FULL' });
    expect([within.status, beyond.status, beyond.json['code'], preset.status]).toEqual([201, 400, 'validation_error', 400]);
    const [entry] = await suite.database.query(
      `SELECT actor_kind, actor_name FROM audit_entries WHERE project_id = $1 AND action = 'api_key.created' ORDER BY id DESC LIMIT 1`,
      [projectId],
    );
    expect(entry).toEqual({ actor_kind: 'TOKEN', actor_name: 'Notebook' });
  });

  it('is refused by a person who denies it, and asks again where none is signed in', async () => {
    const denied = await notebook.askPerson(ada, { projectId, answer: 'deny' }, reading);
    expect([denied.origin + denied.pathname, denied.searchParams.get('error')]).toEqual([callback, 'access_denied']);
    expect(await errorOf(notebook.exchange(denied))).toBe('access_denied');
    const nobody = suite.visitor();
    const first = await nobody.get(await notebook.askPath(reading, { prompt: 'login' }));
    const sent = await nobody.get(first.headers.get('location')!);
    const signIn = new URL(sent.headers.get('location')!, origin);
    expect([sent.status, signIn.pathname, signIn.searchParams.get('said')]).toEqual([303, '/sign-in', 'again']);
    expect(signIn.searchParams.get('next')).toMatch(/^\/api\/auth\/oauth2\/authorize\?(?!.*prompt)/);
    const led = await decide(ada, signIn.searchParams.get('next')!, { projectId });
    expect((await notebook.exchange(led)).scope).toBe(reading);
  });

  it('names a project of the person, and no other', async () => {
    const { projectId: strangers } = await suite.buildProject();
    const led = await notebook.askPerson(ada, { projectId: strangers }, reading);
    expect(led.searchParams.get('status')).toBe('422');
    const grants = await suite.database.query(`SELECT FROM oauth_consents WHERE "referenceId" = $1`, [strangers]);
    expect(grants).toEqual([]);
  });
});

describe('refresh tokens', () => {
  const lasting = `${reading} offline_access`;

  it('are for once; one that comes twice ends all of them', async () => {
    const first = await notebook.letIn(ada, projectId, lasting);
    const second = await notebook.refresh(first.refresh_token!);
    expect(second.scope).toBe(lasting);
    expect((await get('/api/v1/contacts', second.access_token)).status).not.toBe(401);
    expect(await errorOf(notebook.refresh(first.refresh_token!))).toBe('invalid_grant');
    expect(await errorOf(notebook.refresh(second.refresh_token!))).toBe('invalid_grant');
    await delay(1_000);
    expect((await get('/api/v1/contacts', second.access_token)).status).toBe(401);
  });

  it('of two that come at the same instant let one through', async () => {
    const { refresh_token: token } = await notebook.letIn(ada, projectId, lasting);
    const both = await Promise.all([1, 2].map(() => errorOf(notebook.refresh(token!))));
    expect(both.filter((error) => error === 'no error').length).toBeLessThanOrEqual(1);
    expect(both).toContain('invalid_grant');
  });

  it('outlive the session that they were granted in, and end with a new password, a revocation and the grant', async () => {
    const eve = await suite.buildPerson('eve@example.com');
    const [{ id }] = (await suite.database.query<{ id: string }>(`SELECT id FROM auth_users WHERE email = 'eve@example.com'`)) as [
      { id: string },
    ];
    await join(suite.database, projectId, { userId: id }, 'OWNER');
    const start = () => notebook.letIn(eve, projectId, lasting);
    let held = await start();
    await eve.post('/api/auth/sign-out');
    held = await notebook.refresh(held.refresh_token!);
    await notebook.revoke(held.refresh_token!);
    expect(await errorOf(notebook.refresh(held.refresh_token!))).toBe('invalid_grant');
    await eve.post('/api/auth/sign-in/email', { email: 'eve@example.com', password: 'correct horse battery' });
    held = await start();
    const page = await eve.get('/account/applications');
    expect(page.text).toContain('Notebook in A project');
    const [, grant = ''] = /name="id" value="([^"]+)"/.exec(page.text) ?? [];
    await eve.submit('/account/applications', { id: grant });
    expect(await errorOf(notebook.refresh(held.refresh_token!))).toBe('invalid_grant');
    held = await start();
    await eve.post('/api/auth/change-password', { currentPassword: 'correct horse battery', newPassword: 'another horse battery' });
    expect(await errorOf(notebook.refresh(held.refresh_token!))).toBe('invalid_grant');
    const deeds = await suite.database.query<{ action: string }>(
      `SELECT action FROM audit_entries WHERE project_id = $1 AND actor_id = $2 ORDER BY id`,
      [projectId, id],
    );
    expect(deeds.map(({ action }) => action)).toEqual(['token.granted', 'token.granted', 'token.revoked', 'token.granted']);
  });
});

describe('hostile requests', () => {
  const refusedWith = async (scope: string, changes: Record<string, string | null>) => {
    const led = await notebook.askPerson(ada, { projectId }, scope, changes);
    return [led.origin + led.pathname, led.searchParams.get('error'), led.searchParams.get('state')];
  };

  it.each([
    ['PKCE by plain', { code_challenge_method: 'plain' }],
    ['no PKCE', { code_challenge: null, code_challenge_method: null }],
    ['a challenge without a method', { code_challenge_method: null }],
  ])('%s', async (_, changes) => {
    expect(await refusedWith(reading, changes)).toEqual([callback, 'invalid_request', notebook.state]);
  });

  it('a scope that there is not', async () => {
    expect(await refusedWith('contacts:read everything', {})).toEqual([callback, 'invalid_scope', notebook.state]);
  });

  it('a response that is none', async () => {
    const [at] = await refusedWith(reading, { response_type: 'token' });
    expect(at).not.toContain('evil');
  });

  it.each([
    'https://evil.example/callback',
    `${callback}/../evil`,
    `${callback}?next=https://evil.example`,
    '//evil.example',
    'javascript:alert(1)',
  ])('leads nowhere but to where the application was registered: %s', async (redirectUri) => {
    const told = await ada.get(await notebook.askPath(reading, { redirect_uri: redirectUri }));
    const location = new URL(told.headers.get('location') ?? '/oauth/error', origin);
    expect([location.origin, location.pathname]).toEqual([origin, '/oauth/error']);
  });

  it('a state that is missing is refused by the client, as none came back', async () => {
    const led = await notebook.askPerson(ada, { projectId }, reading, { state: null });
    expect(led.searchParams.has('state')).toBe(false);
    expect(() => oauth.validateAuthResponse(notebook.server, notebook.client, led, notebook.state)).toThrow(/state/);
  });

  it('a code that is used twice ends what it was exchanged for', async () => {
    const led = await notebook.askPerson(ada, { projectId }, reading);
    const { access_token: token } = await notebook.exchange(led);
    expect(await errorOf(notebook.exchange(led))).toBe('invalid_grant');
    const [left] = await suite.database.query(
      `SELECT count(*)::int AS count FROM oauth_access_tokens WHERE token = encode(sha256($1::bytea), 'hex')`,
      [Buffer.from(token)],
    );
    expect(left).toEqual({ count: 0 });
  });

  it('a code with another verifier, or of another application', async () => {
    const led = await notebook.askPerson(ada, { projectId }, reading);
    expect(await errorOf(notebook.exchange(led, oauth.generateRandomCodeVerifier()))).not.toBe('no error');
    const other = await Application.register(suite, { client_name: 'Other' });
    const again = await notebook.askPerson(ada, { projectId }, reading);
    again.searchParams.set('state', other.state);
    expect(await errorOf(other.exchange(again, notebook.verifier))).toBe('invalid_grant');
  });

  it('a consent whose query was changed, or that a strange page sends', async () => {
    const asked = await ada.get(await notebook.askPath(reading));
    const query = asked.headers.get('location')!.split('?')[1]!;
    const widened = query.replace('scope=contacts%3Aread', 'scope=contacts%3Awrite');
    expect(widened).not.toBe(query);
    const changed = await ada.submit('/oauth/consent', { oauth_query: widened, answer: 'allow', project: projectId });
    expect([changed.status, changed.headers.get('location')]).toEqual([400, null]);
    const strange = { oauth_query: query, answer: 'allow', project: projectId };
    expect((await ada.submit('/oauth/consent', strange, { origin: 'https://evil.example' })).status).toBe(403);
  });

  it('a person who looks at the page has granted nothing, also with prompt=none', async () => {
    const other = await Application.register(suite, { client_name: 'Quiet' });
    const led = await other.askPerson(ada, { projectId }, reading, { prompt: 'none' });
    expect(led.searchParams.get('error')).toBe('consent_required');
    await other.letIn(ada, projectId, reading);
    const again = await other.askPerson(ada, { projectId }, reading, { prompt: 'none' });
    expect([again.searchParams.get('error'), again.searchParams.has('code')]).toEqual(['consent_required', false]);
  });

  it('a page of the application is shown as text, whatever it calls itself', async () => {
    const other = await Application.register(suite, { client_name: '<script>alert(1)</script>' });
    const asked = await ada.get(await other.askPath(reading));
    const page = await ada.get(asked.headers.get('location')!);
    expect(page.text).not.toContain('<script>');
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:7777;");
  });

  it('a refresh token opens nothing', async () => {
    const { refresh_token: token } = await notebook.letIn(ada, projectId, `${reading} offline_access`);
    expect((await get('/api/v1/contacts', token!)).status).toBe(401);
  });
});

describe('a confidential application', () => {
  it('shows its secret, which stands sealed in the database and opens under a new key', async () => {
    const server = await Application.register(suite, {
      client_name: 'A server',
      token_endpoint_auth_method: 'client_secret_basic',
      redirect_uris: ['https://server.example/callback'],
      application_type: 'web',
    });
    const secret = server.client['client_secret'] as string;
    const [row] = await suite.database.query<{ sealed: string }>(
      `SELECT "clientSecret" AS sealed FROM oauth_clients WHERE "clientId" = $1`,
      [server.client.client_id],
    );
    expect([secret.slice(0, 4), row!.sealed.slice(0, 3)]).toEqual(['ocs_', 'e1.']);
    const own = await Application.register(suite, { client_name: 'Another', token_endpoint_auth_method: 'client_secret_post' });
    const held = await own.letIn(ada, projectId, reading);
    expect(await own.introspect(held.access_token)).toMatchObject({ active: true, scope: reading, sub: adaId });
    for (const token of [held.access_token, 'oat_x']) expect(await server.introspect(token)).toEqual({ active: false });
    await own.revoke(held.access_token);
    expect(await own.introspect(held.access_token)).toEqual({ active: false });
    const impostor = oauth.ClientSecretBasic(`${secret.slice(0, -1)}0`);
    const told = await oauth.introspectionRequest(server.server, server.client, impostor, 'oat_x', server.options);
    expect(told.status).toBe(401);
  });
});

describe('the client of the Model Context Protocol', () => {
  it('finds its way from a refusal to a token, and back to one', async () => {
    const held: { client?: never; tokens?: { access_token: string; refresh_token?: string }; verifier?: string; sent?: URL } = {};
    const provider: OAuthClientProvider = {
      redirectUrl: callback,
      clientMetadata: { client_name: 'An agent', redirect_uris: [callback], token_endpoint_auth_method: 'none' },
      clientInformation: () => held.client,
      saveClientInformation: (client) => void (held.client = client as never),
      tokens: () => held.tokens as never,
      saveTokens: (tokens) => void (held.tokens = tokens),
      redirectToAuthorization: (url) => void (held.sent = url),
      saveCodeVerifier: (verifier) => void (held.verifier = verifier),
      codeVerifier: () => held.verifier!,
    };
    const resourceMetadataUrl = new URL(`${origin}/.well-known/oauth-protected-resource/api`);
    const options = {
      serverUrl: `${origin}/api/v1`,
      scope: 'contacts:read offline_access',
      resourceMetadataUrl,
      fetchFn: fetchFrom(suite, suite.visitor().address),
    };
    expect(await auth(provider, options)).toBe('REDIRECT');
    expect(held.sent!.searchParams.get('resource')).toBe(`${origin}/api`);
    const led = await decide(ada, held.sent!.pathname + held.sent!.search, { projectId });
    expect(await auth(provider, { ...options, authorizationCode: led.searchParams.get('code')! })).toBe('AUTHORIZED');
    const first = held.tokens!.access_token;
    expect((await get('/api/v1/contacts', first)).status).not.toBe(401);
    expect(await auth(provider, options)).toBe('AUTHORIZED');
    expect(held.tokens!.access_token).not.toBe(first);
    expect((await get('/api/v1/contacts', held.tokens!.access_token)).status).not.toBe(401);
  });
});

describe('registration', () => {
  it('is for signed-in people alone where it is switched off', async () => {
    const closed = await startPeopleSuite({ OAUTH_CLIENT_REGISTRATION: 'false' });
    try {
      await expect(Application.register(closed)).rejects.toThrow();
      const person = await closed.buildPerson('ada@example.com');
      const metadata = { client_name: 'Mine', redirect_uris: [callback], token_endpoint_auth_method: 'none', application_type: 'native' };
      expect((await person.post('/api/auth/oauth2/register', metadata)).status).toBe(201);
      const strange = await person.post('/api/auth/oauth2/register', metadata, { origin: 'https://evil.example' });
      expect(strange.status).toBe(401);
    } finally {
      await closed.stop();
    }
  });
});
