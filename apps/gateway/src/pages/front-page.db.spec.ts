import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPeopleSuite, type PeopleSuite } from '../testing/people-suite.js';

let suite: PeopleSuite;
beforeAll(async () => {
  suite = await startPeopleSuite();
});
afterAll(() => suite.stop());

const headers = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

it('redirects a browser to sign-in, or to the account if it is signed in', async () => {
  const requested = await suite.visitor().get('/', { headers });
  expect([requested.status, requested.headers.get('location'), requested.text]).toEqual([
    302,
    '/sign-in',
    '',
  ]);
  const person = await suite.buildPerson('front@example.com');
  const known = await person.get('/', { headers });
  expect([known.status, known.headers.get('location')]).toEqual([302, '/account']);
  expect((await person.get('/account', { headers })).text).toContain('<h1>Your account</h1>');
});

it.each([
  ['/dashboard', '/sign-in'],
  ['/campaigns', '/sign-in'],
  ['/login', '/sign-in'],
  ['/signup', '/sign-up'],
])('leads a browser that guesses %s to %s, and other clients nowhere', async (path, to) => {
  const guessed = await suite.visitor().get(path, { headers });
  expect([guessed.status, guessed.headers.get('location')]).toEqual([302, to]);
  expect((await suite.request('GET', path)).status).toBe(404);
  expect((await suite.request('POST', `${path}x`)).status).toBe(404);
});

it('returns links and the version to other clients', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  for (const accept of ['*/*', 'application/json']) {
    const published = await suite.request('GET', '/', { headers: { accept } });
    expect([published.status, published.json]).toEqual([
      200,
      { name: 'Posthorn', version, docs: '/docs', openapi: '/openapi.json' },
    ]);
    for (const path of ['/docs', '/openapi.json'])
      expect((await suite.request('GET', path)).status).toBe(200);
  }
  expect((await suite.request('HEAD', '/')).status).toBe(200);
  expect((await suite.request('POST', '/')).status).toBe(405);
});
