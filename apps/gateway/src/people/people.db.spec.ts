import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import { sessionCookieName } from '../identity/session-cookie.js';
import {
  origin,
  password,
  startPeopleSuite,
  type PeopleSuite,
  type Visitor,
} from '../testing/people-suite.js';
import { hashOfToken } from '../identity/tokens.js';

let suite: PeopleSuite;
beforeAll(async () => {
  suite = await startPeopleSuite();
});
afterAll(() => suite.stop());

let count = 0;
const newAddress = () => `person-${(count += 1)}@example.com`;
const signIn = (visitor: Visitor, email: string, secret = password) =>
  visitor.post('/api/auth/sign-in/email', { email, password: secret });
const whoIs = async (visitor: Visitor) =>
  (await visitor.get('/api/auth/get-session')).json['user'] as { email: string } | undefined;
const tokenIn = (visitor: Visitor) =>
  decodeURIComponent(visitor.cookies.get(sessionCookieName)!).split('.')[0]!;

describe('a person', () => {
  it('signs up, confirms the address, signs in and signs out', async () => {
    const [email, visitor] = [newAddress(), suite.visitor()];
    const signedUp = await visitor.post('/api/auth/sign-up/email', {
      name: 'Ada',
      email: email.toUpperCase(),
      password,
    });
    expect([signedUp.status, visitor.cookies.size]).toEqual([200, 0]);
    const early = await signIn(visitor, email);
    expect([early.status, early.json['code'], visitor.cookies.size]).toEqual([403, 'EMAIL_NOT_VERIFIED', 0]);
    const verified = await visitor.get(`/api/auth/verify-email?token=${await suite.tokenFor(email)}`);
    expect([verified.status, visitor.cookies.size]).toEqual([200, 0]);
    const signedIn = await signIn(visitor, email);
    expect(signedIn.status).toBe(200);
    expect(signedIn.text).not.toContain(tokenIn(visitor));
    expect(await whoIs(visitor)).toMatchObject({ email, emailVerified: true });
    expect((await visitor.get('/api/auth/get-session')).text).not.toContain(tokenIn(visitor));
    const stolen = visitor.cookie;
    expect((await visitor.post('/api/auth/sign-out')).status).toBe(200);
    expect(visitor.cookies.has(sessionCookieName)).toBe(false);
    expect((await visitor.get('/api/auth/get-session', { headers: { cookie: stolen } })).text).toBe('null');
  });

  it('is not signed in by the confirmation link, however often it is opened', async () => {
    const email = newAddress();
    await suite.visitor().post('/api/auth/sign-up/email', { name: 'Ada', email, password });
    const path = `/api/auth/verify-email?token=${await suite.tokenFor(email)}`;
    for (const visitor of [suite.visitor(), suite.visitor()]) {
      await visitor.get(path);
      expect([visitor.cookies.size, await whoIs(visitor)]).toEqual([0, undefined]);
    }
    const [stored] = await suite.database.query(`SELECT "emailVerified" FROM auth_users WHERE email = $1`, [
      email,
    ]);
    expect(stored).toEqual({ emailVerified: true });
  });

  it('has a session cookie that scripts cannot read and other sites do not send', async () => {
    const email = newAddress();
    await suite.buildPerson(email);
    const [cookie] = (await signIn(suite.visitor(), email)).headers.getSetCookie();
    expect(cookie).toMatch(
      /^better-auth\.session_token=[^;]+; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/i,
    );
  });

  it('resets the password by mail once, which ends every session', async () => {
    const email = newAddress();
    const old = await suite.buildPerson(email);
    await suite.visitor().post('/api/auth/request-password-reset', { email });
    const token = await suite.tokenFor(email);
    const reset = (newPassword: string) =>
      suite.visitor().post('/api/auth/reset-password', { token, newPassword });
    expect([(await reset('another horse')).status, (await reset('a third horse')).status]).toEqual([
      200, 400,
    ]);
    expect(await whoIs(old)).toBeUndefined();
    expect((await signIn(suite.visitor(), email)).status).toBe(401);
    expect((await signIn(suite.visitor(), email, 'another horse')).status).toBe(200);
  });

  it('changes the password, which always ends all other sessions', async () => {
    const email = newAddress();
    const other = await suite.buildPerson(email);
    const own = suite.visitor();
    await signIn(own, email);
    const before = tokenIn(own);
    const changed = await own.post('/api/auth/change-password', {
      currentPassword: password,
      newPassword: 'another horse',
      revokeOtherSessions: false,
    });
    expect(changed.status).toBe(200);
    expect([await whoIs(other), (await whoIs(own))?.email, tokenIn(own) === before]).toEqual([
      undefined,
      email,
      false,
    ]);
  });
});

describe('what is stored', () => {
  it('contains no session token, link token or password', async () => {
    const email = newAddress();
    const person = await suite.buildPerson(email);
    const verification = await suite.tokenFor(email);
    await suite.visitor().post('/api/auth/request-password-reset', { email });
    const reset = await suite.tokenFor(email);
    const tables = [
      'auth_users',
      'auth_accounts',
      'auth_sessions',
      'auth_verifications',
      'auth_two_factors',
      'auth_rate_limits',
    ];
    const dumps = await Promise.all(
      [...tables, 'system_mails'].map((table) =>
        suite.database.query<{ row: string }>(`SELECT row_to_json(t)::text AS row FROM ${table} t`),
      ),
    );
    const dump = dumps
      .flat()
      .map(({ row }) => row)
      .join('\n');
    for (const secret of [tokenIn(person), verification, reset, password]) expect(dump).not.toContain(secret);
    for (const secret of [reset, password]) expect(dump).not.toContain(Buffer.from(secret).toString('hex'));
    expect(dump).toContain(hashOfToken(tokenIn(person)));
  });
});

describe('a stranger', () => {
  it('cannot use a session or sign in from another origin', async () => {
    const email = newAddress();
    const person = await suite.buildPerson(email);
    const foreign = { origin: 'https://evil.example' };
    expect((await person.post('/api/auth/sign-out', {}, foreign)).status).toBe(403);
    expect((await suite.visitor().post('/api/auth/sign-in/email', { email, password }, foreign)).status).toBe(
      403,
    );
    expect(
      (await suite.visitor().post('/api/auth/sign-in/email', { email, password }, { origin: 'null' })).status,
    ).toBe(403);
    expect((await whoIs(person))?.email).toBe(email);
  });

  it('cannot use session cookies that are foreign, repeated or altered', async () => {
    const person = await suite.buildPerson(newAddress());
    const own = person.cookies.get(sessionCookieName)!;
    const dead = [
      `${sessionCookieName}=abc.def`,
      `${sessionCookieName}=${own}; ${sessionCookieName}=${own}`,
      `${sessionCookieName}=x${own}`,
      `${sessionCookieName}=%00%ff`,
      `${sessionCookieName}=${'x'.repeat(9_000)}`,
    ];
    for (const cookie of dead) {
      const published = await suite.visitor().get('/api/auth/get-session', { headers: { cookie } });
      expect([published.status, published.text]).toEqual([200, 'null']);
    }
  });

  it.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\tevil',
    'http:evil',
    'javascript:alert(1)',
    'evil',
    ['/'],
    7,
  ])('is not redirected by %j', async (callbackURL) => {
    const visitor = suite.visitor();
    const body = { name: 'x', email: newAddress(), password, callbackURL };
    expect((await visitor.post('/api/auth/sign-up/email', body)).status).toBe(422);
    expect((await visitor.post('/api/auth/sign-in/email', body)).status).toBe(422);
    expect(
      (await visitor.post('/api/auth/request-password-reset', { ...body, redirectTo: callbackURL })).status,
    ).toBe(422);
  });

  it('can call only the public endpoints', async () => {
    const person = await suite.buildPerson(newAddress());
    for (const path of [
      '/list-sessions',
      '/revoke-session',
      '/error',
      '/ok',
      '/delete-user',
      '/sign-in/social',
      '/',
      '//',
      '/__proto__',
      '/constructor',
    ])
      for (const method of ['GET', 'POST'])
        expect(
          (await person.request(method, `/api/auth${path}`, method === 'POST' ? { body: {} } : {})).status,
        ).toBe(404);
    expect((await person.get('/api/auth/sign-out')).status).toBe(405);
  });

  it('has to wait after three attempts, whatever address its headers claim', async () => {
    const visitor = suite.visitor();
    const email = newAddress();
    const tries: number[] = [];
    for (let index = 0; index < 4; index += 1)
      tries.push(
        (
          await visitor.post(
            '/api/auth/sign-in/email',
            { email, password },
            { 'x-posthorn-address': `10.9.9.${index}` },
          )
        ).status,
      );
    expect(tries).toEqual([401, 401, 401, 429]);
    const refused = await signIn(visitor, email);
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(refused.json['message']).toMatch(
      /^Too many attempts: at most 3 within 10 seconds; try again in \d+ seconds?$/,
    );
    expect((await signIn(suite.visitor(), email)).status).toBe(401);
  });

  it('never causes a 500', async () => {
    const nul = 'a\u0000b';
    const bodies = [
      '',
      '[]',
      '{',
      '{"email":1}',
      `{"email":"${'x'.repeat(20_000)}"}`,
      JSON.stringify({ email: nul, password: nul, token: nul, newPassword: nul, name: nul, code: nul }),
    ];
    const paths = [
      'sign-up/email',
      'sign-in/email',
      'reset-password',
      'request-password-reset',
      'change-password',
      'sign-out',
      'two-factor/verify-totp',
      'update-user',
    ];
    for (const path of paths)
      for (const body of bodies) {
        const { status } = await suite.visitor().request('POST', `/api/auth/${path}`, { body });
        expect([path, body.slice(0, 20), status < 500]).toEqual([path, body.slice(0, 20), true]);
      }
    for (const token of ['%00', '%ff', 'a.b.c', 'x'.repeat(9_000), ''])
      expect((await suite.visitor().get(`/api/auth/verify-email?token=${token}`)).status).toBeLessThan(500);
    for (const token of [newId(), `'; DROP TABLE auth_users; --`])
      expect(
        (await suite.visitor().post('/api/auth/reset-password', { token, newPassword: password })).status,
      ).toBe(400);
  });

  it('cannot put own text into mails', async () => {
    const email = newAddress();
    const body = { email, password, name: 'Buy now https://evil.example' };
    expect((await suite.visitor().post('/api/auth/sign-up/email', { ...body, name: `a\nb` })).status).toBe(
      422,
    );
    expect(
      (await suite.visitor().post('/api/auth/sign-up/email', { ...body, name: 'x'.repeat(101) })).status,
    ).toBe(422);
    await suite.visitor().post('/api/auth/sign-up/email', body);
    expect(JSON.stringify(await suite.mailsTo(email))).not.toContain('evil.example');
  });

  it('sees a page with a button when opening a link of a mail', async () => {
    const email = newAddress();
    await suite.visitor().post('/api/auth/sign-up/email', { name: 'Ada', email, password });
    const link = (await suite.mailsTo(email))[0]!.text;
    expect(link).toContain(`${origin}/verify-email?token=`);
    const [user] = await suite.database.query(
      `SELECT "emailVerified" AS verified FROM auth_users WHERE email = $1`,
      [email],
    );
    expect(user).toEqual({ verified: false });
    const token = await suite.tokenFor(email);
    const html = { headers: { accept: 'text/html,*/*' } };
    const checked = await suite.visitor().get(`/api/auth/verify-email?token=${token}`, html);
    expect([checked.status, checked.headers.get('location')]).toEqual([303, `/verify-email?token=${token}`]);
  });
});
