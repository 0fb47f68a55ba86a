import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oauth from 'oauth4webapi';
import { Application, buildOwner, callback, decide, errorOf } from '../testing/application.js';
import { origin, startPeopleSuite, type PeopleSuite, type Visitor } from '../testing/people-suite.js';

let suite: PeopleSuite;
let ada: Visitor;
let projectId: string;
let notebook: Application;
const reading = 'contacts:read lists:read api-keys:read';

beforeAll(async () => {
  suite = await startPeopleSuite();
  ({ person: ada, projectId } = await buildOwner(suite, 'ada@example.com'));
  notebook = await Application.register(suite);
});
afterAll(() => suite.stop());

const get = (token: string) => suite.request('GET', `/api/v1/projects/${projectId}/api-keys`, { key: token });

describe('hostile requests', () => {
  const refusedWith = async (scope: string, changes: Record<string, string | null>) => {
    const led = await notebook.requestPerson(ada, { projectId }, scope, changes);
    return [led.origin + led.pathname, led.searchParams.get('error'), led.searchParams.get('state')];
  };

  it.each([
    ['PKCE with method plain', { code_challenge_method: 'plain' }],
    ['no PKCE', { code_challenge: null, code_challenge_method: null }],
    ['a challenge without a method', { code_challenge_method: null }],
  ])('%s', async (_, changes) => {
    expect(await refusedWith(reading, changes)).toEqual([callback, 'invalid_request', notebook.state]);
  });

  it('an unknown scope', async () => {
    expect(await refusedWith('contacts:read everything', {})).toEqual([
      callback,
      'invalid_scope',
      notebook.state,
    ]);
  });

  it('an unknown response type', async () => {
    const requested = await ada.get(await notebook.requestPath(reading, { response_type: 'token' }));
    expect([
      requested.status,
      requested.headers.get('location'),
      /http-equiv|code=/.test(requested.text),
    ]).toEqual([400, null, false]);
  });

  it.each([
    'https://evil.example/callback',
    `${callback}/../evil`,
    `${callback}?next=https://evil.example`,
    '//evil.example',
    'javascript:alert(1)',
  ])('redirects only to the registered address: %s', async (redirectUri) => {
    const published = await ada.get(await notebook.requestPath(reading, { redirect_uri: redirectUri }));
    const location = new URL(published.headers.get('location')!, origin);
    expect([location.origin, location.pathname]).toEqual([origin, '/oauth/error']);
    const page = await ada.get('/oauth/error?error=<b>&error_description=call+555');
    expect([page.status, /555|<b>/.test(page.text)]).toEqual([400, false]);
  });

  it('the client refuses a response without state', async () => {
    const led = await notebook.requestPerson(ada, { projectId }, reading, { state: null });
    expect(led.searchParams.has('state')).toBe(false);
    expect(() => oauth.validateAuthResponse(notebook.server, notebook.client, led, notebook.state)).toThrow(
      /state/,
    );
  });

  it('using a code twice revokes its tokens', async () => {
    const led = await notebook.requestPerson(ada, { projectId }, `${reading} offline_access`);
    const { access_token: token, refresh_token: refresh } = await notebook.exchange(led);
    expect(await errorOf(notebook.exchange(led))).toBe('invalid_grant');
    expect([(await get(token)).status, await errorOf(notebook.refresh(refresh!))]).toEqual([
      401,
      'invalid_grant',
    ]);
  });

  it('a self-registered application cannot redirect anybody who has not seen a page', async () => {
    const unknown = await Application.register(suite, {
      client_name: 'Phisher',
      redirect_uris: ['https://evil.example/in'],
    });
    const broken = { redirect_uri: 'https://evil.example/in', scope: 'everything' };
    for (const visitor of [suite.visitor(), ada]) {
      const published = await visitor.get(await unknown.requestPath('', broken));
      expect([published.status, published.headers.get('location')]).toEqual([400, null]);
      expect(published.text).not.toMatch(/http-equiv/);
      expect(published.text).toContain('evil.example');
    }
  });

  it('a name of several lines or with direction marks, and a very large registration', async () => {
    for (const name of ['a\nb', 'a\u202eb', 'x'.repeat(101)])
      await expect(Application.register(suite, { client_name: name })).rejects.toThrow();
    const many = { redirect_uris: [callback], contacts: ['x'.repeat(9_000)] };
    expect((await suite.request('POST', '/api/auth/oauth2/register', { body: many })).status).toBe(413);
  });

  it('an IPv6 loopback address works like others', async () => {
    const device = await Application.register(suite, { redirect_uris: ['http://[::1]/callback'] });
    const led = await decide(
      ada,
      await device.requestPath(reading, { redirect_uri: 'http://[::1]:9999/callback' }),
      { projectId },
    );
    expect([led.host, led.searchParams.has('code')]).toEqual(['[::1]:9999', true]);
  });

  it('a code with another verifier or client', async () => {
    const led = await notebook.requestPerson(ada, { projectId }, reading);
    expect(await errorOf(notebook.exchange(led, oauth.generateRandomCodeVerifier()))).toBe('invalid_request');
    const other = await Application.register(suite, { client_name: 'Other' });
    const again = await notebook.requestPerson(ada, { projectId }, reading);
    again.searchParams.set('state', other.state);
    expect(await errorOf(other.exchange(again, notebook.verifier))).toBe('invalid_grant');
  });

  it('a consent with a changed query or from another origin', async () => {
    const requested = await ada.get(await notebook.requestPath(reading));
    const query = requested.headers.get('location')!.split('?')[1]!;
    const widened = query.replace('scope=contacts%3Aread', 'scope=contacts%3Awrite');
    expect(widened).not.toBe(query);
    const allow = {
      answer: 'allow',
      project: projectId,
      'may contacts:write': 'yes',
      'may lists:read': 'yes',
    };
    const changed = await ada.submit('/oauth/consent', { ...allow, oauth_query: widened });
    expect([changed.status, /http-equiv/.test(changed.text)]).toEqual([400, false]);
    const unknown = { ...allow, oauth_query: query };
    expect((await ada.submit('/oauth/consent', unknown, { origin: 'https://evil.example' })).status).toBe(
      403,
    );
  });

  it('opening the consent page grants nothing, also with prompt=none', async () => {
    const other = await Application.register(suite, { client_name: 'Quiet' });
    const led = await other.requestPerson(ada, { projectId }, reading, { prompt: 'none' });
    expect(led.searchParams.get('error')).toBe('consent_required');
    await other.authorize(ada, projectId, reading);
    const again = await other.requestPerson(ada, { projectId }, reading, { prompt: 'none' });
    expect([again.searchParams.get('error'), again.searchParams.has('code')]).toEqual([
      'consent_required',
      false,
    ]);
  });

  it('the name of an application is shown as escaped text', async () => {
    const other = await Application.register(suite, { client_name: '<script>alert(1)</script>' });
    const requested = await ada.get(await other.requestPath(reading));
    const page = await ada.get(requested.headers.get('location')!);
    expect(page.text).not.toContain('<script>');
    expect(page.text).toContain('&lt;script&gt;');
  });

  it('an unsupported method gets Allow, an unknown path 404', async () => {
    const wrong = await suite.request('GET', '/api/auth/oauth2/token');
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
    expect((await suite.request('GET', '/api/auth/oauth2/no-such-door')).status).toBe(404);
    expect((await suite.request('GET', '/api/auth/no-such-door')).status).toBe(404);
  });

  it('a registration with an invalid token is refused, whatever its case', async () => {
    const body = { redirect_uris: [callback] };
    for (const key of ['x', 'é'.repeat(43), 'x'.repeat(43)])
      expect((await suite.request('POST', '/api/auth/oauth2/register', { body, key })).status).toBe(401);
  });

  it('a refresh token is not an access token', async () => {
    const { refresh_token: token } = await notebook.authorize(ada, projectId, `${reading} offline_access`);
    expect((await get(token!)).status).toBe(401);
  });
});
