import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startPeopleSuite, type PeopleSuite } from '../../testing/people-suite.js';

let suite: PeopleSuite;
beforeAll(async () => {
  suite = await startPeopleSuite();
});
afterAll(() => suite.stop());

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const bodies: [path: string, body: unknown, headers: Record<string, string>][] = [
  ['/oauth2/token', 'token=x', form],
  ['/oauth2/introspect', 'token=x', form],
  ['/oauth2/revoke', 'token=x', form],
  ['/oauth2/register', { redirect_uris: 'x' }, {}],
];
/** Every letter of the last segment percent-encoded in turn, as `%74oken`. */
const spellingsOf = (path: string): string[] => {
  const start = path.lastIndexOf('/') + 1;
  return [...path.slice(start)].map((letter, index) => {
    const code = `%${letter.charCodeAt(0).toString(16)}`;
    return path.slice(0, start + index) + code + path.slice(start + index + 1);
  });
};
const countedFor = async (address: string): Promise<string[]> => {
  const rows = await suite.database.query<{ key: string }>(
    `SELECT key FROM auth_rate_limits WHERE key LIKE $1 ORDER BY key`,
    [`${address}|%`],
  );
  return rows.map(({ key }) => key.slice(address.length + 1));
};

it.each(bodies)('counts every spelling of %s as the plain one', async (path, body, headers) => {
  const visitor = suite.visitor();
  const plain = await visitor.post(`/api/auth${path}`, body, headers);
  const spelled = [...spellingsOf(path), path.replace('/oauth2', '/%6Fauth2'), `${path}#x`, `${path}?x=1`];
  for (const each of spelled) {
    const { status, json } = await visitor.post(`/api/auth${each}`, body, headers);
    expect([each, status, json]).toEqual([each, plain.status, plain.json]);
  }
  expect(await countedFor(visitor.address)).toEqual([path]);
});

it('counts every spelling of the authorization page and of the sign-in as the plain one', async () => {
  const visitor = suite.visitor();
  for (const each of spellingsOf('/oauth2/authorize'))
    expect((await visitor.get(`/api/auth${each}?client_id=x`)).status).toBe(302);
  for (const each of ['/%73ign-in/email', '/sign-in/%65mail'])
    expect((await visitor.post(`/api/auth${each}`, { email: 'a@example.com', password: 'x' })).status).toBe(
      401,
    );
  expect(await countedFor(visitor.address)).toEqual(['/oauth2/authorize', '/sign-in/email']);
});

it('refuses other paths before anything is stored', async () => {
  const visitor = suite.visitor();
  const others = [
    '/oauth2/TOKEN',
    '/OAuth2/token',
    '//oauth2/token',
    '/oauth2//token',
    '/oauth2/token/',
    '/oauth2%2Ftoken',
    '/oauth2/tok%2565n',
    '/oauth2/token;x=1',
    '/sign-in/email/',
    '/Sign-in/email',
    '//sign-in/email',
    `/oauth2/${'token'.repeat(1_000)}`,
    `/${'x'.repeat(10_000)}`,
  ];
  for (const path of others)
    expect([path, (await visitor.post(`/api/auth${path}`, 'token=x', form)).status]).toEqual([path, 404]);
  expect(await countedFor(visitor.address)).toEqual([]);
});

it('tells every application where to go, however often others ask', async () => {
  const discover = () => suite.visitor().get('/.well-known/oauth-authorization-server/api/auth');
  const first = await discover();
  for (let times = 0; times < 120; times += 1) await discover();
  const last = await discover();
  expect([last.status, last.json]).toEqual([200, first.json]);
});
