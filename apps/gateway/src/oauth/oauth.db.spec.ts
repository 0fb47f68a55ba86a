import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { roleScopes, scopes } from '@posthorn/contracts';
import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import * as oauth from 'oauth4webapi';
import { Application, buildOwner, callback, decide, errorOf, fetchFrom } from '../testing/application.js';
import { join } from '../testing/people.js';
import { origin, startPeopleSuite, type PeopleSuite, type Visitor } from '../testing/people-suite.js';
import { isDelegatedToken } from './oauth-rules.js';

let suite: PeopleSuite;
let ada: Visitor;
let adaId: string;
let projectId: string;
let notebook: Application;
const reading = 'contacts:read lists:read api-keys:read';

beforeAll(async () => {
  suite = await startPeopleSuite();
  ({ person: ada, userId: adaId, projectId } = await buildOwner(suite, 'ada@example.com'));
  notebook = await Application.register(suite);
});
afterAll(() => suite.stop());

const get = (path: string, token: string) => suite.request('GET', path, { key: token });
const post = (path: string, token: string, body: unknown) =>
  suite.request('POST', path, { key: token, body });

describe('an application with access', () => {
  it('discovers the server and the resource from a 401', async () => {
    const refused = await suite.request('GET', '/api/v1/contacts');
    const [, pointer] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate')!)!;
    const resource = new URL(`${origin}/api`);
    const published = await oauth.processResourceDiscoveryResponse(
      resource,
      await oauth.resourceDiscoveryRequest(resource, notebook.options),
    );
    expect([pointer, published.authorization_servers]).toEqual([
      `${origin}/.well-known/oauth-protected-resource/api`,
      [`${origin}/api/auth`],
    ]);
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

  it('acts in one project with the requested scopes', async () => {
    const tokens = await notebook.authorize(ada, projectId, reading);
    expect([isDelegatedToken(tokens.access_token), tokens.expires_in, tokens.refresh_token]).toEqual([
      true,
      3_600,
      undefined,
    ]);
    expect([tokens.scope, tokens['project_id']]).toEqual([reading, projectId]);
    expect((await get(`/api/v1/projects/${projectId}/api-keys`, tokens.access_token)).status).toBe(200);
    const beyond = await post('/api/v1/contacts', tokens.access_token, { email: 'x@example.com' });
    expect([beyond.status, beyond.json['code']]).toEqual([403, 'scope_missing']);
    const elsewhere = await get(
      `/api/v1/projects/${(await suite.buildProject()).projectId}/api-keys`,
      tokens.access_token,
    );
    expect([elsewhere.status, elsewhere.json['code']]).toEqual([403, 'project_access_denied']);
  });

  it('never has more rights than the role, and fewer once the role is reduced', async () => {
    const grace = await suite.buildPerson('grace@example.com');
    const [{ id }] = (await suite.database.query<{ id: string }>(
      `SELECT id FROM auth_users WHERE email = 'grace@example.com'`,
    )) as [{ id: string }];
    await join(suite.database, projectId, { userId: id }, 'MEMBER');
    const wanted = 'contacts:read api-keys:write';
    const tokens = await notebook.authorize(grace, projectId, wanted);
    const hers = wanted
      .split(' ')
      .filter((scope) => (roleScopes.MEMBER as readonly string[]).includes(scope));
    expect(tokens.scope).toBe(hers.join(' '));
    const made = await post(`/api/v1/projects/${projectId}/api-keys`, tokens.access_token, { name: 'A key' });
    expect([made.status, made.json['code']]).toEqual([403, 'scope_missing']);
    await suite.database.query(`DELETE FROM members WHERE user_id = $1`, [id]);
    const [left] = await suite.database.query(
      `SELECT count(*)::int AS count FROM oauth_access_tokens WHERE "userId" = $1`,
      [id],
    );
    expect(left).toEqual({ count: 0 });
  });

  it('creates keys only within its own rights', async () => {
    const { access_token: token } = await notebook.authorize(ada, projectId, 'api-keys:write contacts:read');
    const path = `/api/v1/projects/${projectId}/api-keys`;
    const within = await post(path, token, { name: 'Within', scopes: ['contacts:read'] });
    const beyond = await post(path, token, { name: 'Beyond', scopes: ['contacts:write'] });
    const preset = await post(path, token, { name: 'Preset', legacy_grant_preset: 'FULL' });
    expect([within.status, beyond.status, beyond.json['code'], preset.status]).toEqual([
      201,
      400,
      'validation_error',
      400,
    ]);
    const [entry] = await suite.database.query(
      `SELECT actor_kind, actor_name FROM audit_entries WHERE project_id = $1 AND action = 'api_key.created' ORDER BY id DESC LIMIT 1`,
      [projectId],
    );
    expect(entry).toEqual({ actor_kind: 'TOKEN', actor_name: 'Notebook' });
  });

  it('is refused if the user denies, and sends users who are not signed in to sign-in', async () => {
    const denied = await notebook.requestPerson(ada, { projectId, answer: 'deny' }, reading);
    expect([denied.origin + denied.pathname, denied.searchParams.get('error')]).toEqual([
      callback,
      'access_denied',
    ]);
    expect(await errorOf(notebook.exchange(denied))).toBe('access_denied');
    for (const visitor of [suite.visitor(), ada]) {
      const first = await visitor.get(await notebook.requestPath(reading, { prompt: 'login' }));
      const sent = await visitor.get(first.headers.get('location')!);
      const signIn = new URL(sent.headers.get('location')!, origin);
      expect([sent.status, signIn.pathname, signIn.searchParams.get('said')]).toEqual([
        303,
        '/sign-in',
        'again',
      ]);
      expect((await visitor.get(signIn.pathname + signIn.search)).text).toContain('type="password"');
      expect(signIn.searchParams.get('next')).toMatch(/^\/api\/auth\/oauth2\/authorize\?(?!.*prompt)/);
      const led = await decide(ada, signIn.searchParams.get('next')!, { projectId });
      expect((await notebook.exchange(led)).scope).toBe(reading);
    }
  });

  it('gets the selected scopes, and read access if it requests none', async () => {
    const led = await notebook.requestPerson(ada, { projectId, without: ['may lists:read'] }, reading);
    expect((await notebook.exchange(led)).scope).toBe('contacts:read api-keys:read');
    const open = await notebook.exchange(
      await notebook.requestPerson(ada, { projectId }, '', { scope: null }),
    );
    expect(open.scope!.split(' ').every((scope) => scope.endsWith(':read'))).toBe(true);
    const none = await notebook.requestPerson(
      ada,
      { projectId, without: ['may contacts:read'] },
      'contacts:read',
    );
    expect(none.searchParams.get('status')).toBe('422');
  });

  it('gets no token if the grant was revoked before it used its code', async () => {
    const led = await notebook.requestPerson(ada, { projectId }, reading);
    await suite.database.query(`DELETE FROM oauth_consents WHERE "userId" = $1`, [adaId]);
    expect(await errorOf(notebook.exchange(led))).toBe('invalid_grant');
  });

  it('can be granted only projects of the user', async () => {
    const { projectId: unknown } = await suite.buildProject();
    const led = await notebook.requestPerson(ada, { projectId: unknown }, reading);
    expect(led.searchParams.get('status')).toBe('422');
    const grants = await suite.database.query(`SELECT FROM oauth_consents WHERE "referenceId" = $1`, [
      unknown,
    ]);
    expect(grants).toEqual([]);
  });
});

describe('a confidential application', () => {
  it('uses a secret, which is sealed in the database and can be opened after a key change', async () => {
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
    const own = await Application.register(suite, {
      client_name: 'Another',
      token_endpoint_auth_method: 'client_secret_post',
    });
    const held = await own.authorize(ada, projectId, reading);
    expect(await own.introspect(held.access_token)).toMatchObject({
      active: true,
      scope: reading,
      sub: adaId,
    });
    for (const token of [held.access_token, 'oat_x'])
      expect(await server.introspect(token)).toEqual({ active: false });
    await own.revoke(held.access_token);
    expect(await own.introspect(held.access_token)).toEqual({ active: false });
    const impostor = oauth.ClientSecretBasic(`${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`);
    const published = await oauth.introspectionRequest(
      server.server,
      server.client,
      impostor,
      'oat_x',
      server.options,
    );
    expect(published.status).toBe(401);
  });
});

describe('the Model Context Protocol client', () => {
  it('gets from a 401 to a token, and to a new one', async () => {
    const held: {
      client?: never;
      tokens?: { access_token: string; refresh_token?: string };
      verifier?: string;
      sent?: URL;
    } = {};
    const provider: OAuthClientProvider = {
      redirectUrl: callback,
      clientMetadata: {
        client_name: 'An agent',
        redirect_uris: [callback],
        token_endpoint_auth_method: 'none',
      },
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
      scope: 'contacts:read api-keys:read offline_access',
      resourceMetadataUrl,
      fetchFn: fetchFrom(suite, suite.visitor().address),
    };
    expect(await auth(provider, options)).toBe('REDIRECT');
    expect(held.sent!.searchParams.get('resource')).toBe(`${origin}/api`);
    const led = await decide(ada, held.sent!.pathname + held.sent!.search, { projectId });
    expect(await auth(provider, { ...options, authorizationCode: led.searchParams.get('code')! })).toBe(
      'AUTHORIZED',
    );
    const first = held.tokens!.access_token;
    expect((await get(`/api/v1/projects/${projectId}/api-keys`, first)).status).toBe(200);
    expect(await auth(provider, options)).toBe('AUTHORIZED');
    expect(held.tokens!.access_token).not.toBe(first);
    expect((await get(`/api/v1/projects/${projectId}/api-keys`, held.tokens!.access_token)).status).toBe(200);
  });
});
