import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { password, startPeopleSuite, type PeopleSuite } from '../../testing/people-suite.js';

const dashboard = 'https://app.example.com';
let suite: PeopleSuite;
beforeAll(async () => {
  suite = await startPeopleSuite({ PUBLIC_URL: 'https://mail.example.com', TRUSTED_ORIGINS: dashboard });
});
afterAll(() => suite.stop());

it('cookies are secure if the public URL is https, under the same name', async () => {
  await suite.buildPerson('ada@example.com');
  const published = await suite
    .visitor()
    .post('/api/auth/sign-in/email', { email: 'ada@example.com', password });
  expect(published.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^better-auth\.session_token=.*; HttpOnly; Secure; SameSite=Lax$/i),
  ]);
  expect((await suite.mailsTo('ada@example.com'))[0]!.text).toContain(
    'https://mail.example.com/verify-email?token=',
  );
});

it('trusted origins may call it with cookies, others may not', async () => {
  const person = await suite.buildPerson('grace@example.com');
  const from = (origin: string) => person.get('/api/auth/get-session', { headers: { origin } });
  const [ours, theirs] = [await from(dashboard), await from('https://evil.example')];
  const read = ({ headers }: typeof ours) => [
    headers.get('access-control-allow-origin'),
    headers.get('access-control-allow-credentials'),
  ];
  expect([read(ours), read(theirs)]).toEqual([
    [dashboard, 'true'],
    [null, null],
  ]);
  const requested = await person.request('OPTIONS', '/api/auth/sign-out', {
    headers: { origin: dashboard, 'access-control-request-method': 'POST' },
  });
  expect([requested.status, requested.headers.get('access-control-allow-methods')]).toEqual([204, 'POST']);
  expect((await person.post('/api/auth/sign-out', {}, { origin: dashboard })).status).toBe(200);
});

it('repeated refused attempts cause no statement', async () => {
  const visitor = suite.visitor();
  const tryOnce = async () =>
    (await visitor.post('/api/auth/sign-in/email', { email: 'eve@example.com', password })).status;
  for (let tries = 0; tries < 4; tries += 1) await tryOnce();
  const count = () =>
    suite.database.query<{ count: number }>(`SELECT count FROM auth_rate_limits WHERE key = $1`, [
      `${visitor.address}|/sign-in/email`,
    ]);
  const before = await count();
  expect(await Promise.all(Array.from({ length: 50 }, tryOnce))).toEqual(Array<number>(50).fill(429));
  expect(await count()).toEqual(before);
});
