import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sessionCookieName } from '../../identity/session-cookie.js';
import { codeNow } from '../../testing/authenticator.js';
import { password, startPeopleSuite, type PeopleSuite, type Visitor } from '../../testing/people-suite.js';

let suite: PeopleSuite;
beforeAll(async () => {
  suite = await startPeopleSuite();
});
afterAll(() => suite.stop());

const isSignedIn = (visitor: Visitor) => visitor.cookies.has(sessionCookieName);

async function turnOn(email: string): Promise<{ key: string; backupCodes: string[] }> {
  const person = await suite.buildPerson(email);
  const { totpURI, backupCodes } = (await person.post('/api/auth/two-factor/enable', { password })).json;
  const key = new URL(totpURI as string).searchParams.get('secret')!;
  expect((await person.post('/api/auth/two-factor/verify-totp', { code: codeNow(key) })).status).toBe(200);
  return { key, backupCodes: backupCodes as string[] };
}

async function begin(email: string): Promise<Visitor> {
  const visitor = suite.visitor();
  const { json } = await visitor.post('/api/auth/sign-in/email', { email, password });
  expect([json['twoFactorRedirect'], isSignedIn(visitor)]).toEqual([true, false]);
  return visitor;
}

it('is required once it is on: the password alone creates no session', async () => {
  const { key } = await turnOn('ada@example.com');
  const visitor = await begin('ada@example.com');
  expect((await visitor.get('/api/auth/get-session')).text).toBe('null');
  const published = await visitor.post('/api/auth/two-factor/verify-totp', { code: codeNow(key) });
  expect([published.status, isSignedIn(visitor), published.text.includes('token')]).toEqual([
    200,
    true,
    false,
  ]);
});

it('accepts each backup code once and stores them encrypted', async () => {
  const { key, backupCodes } = await turnOn('grace@example.com');
  const enter = async () => {
    const visitor = await begin('grace@example.com');
    return (await visitor.post('/api/auth/two-factor/verify-backup-code', { code: backupCodes[0] })).status;
  };
  expect([await enter(), await enter()]).toEqual([200, 401]);
  const rows = await suite.database.query(`SELECT * FROM auth_two_factors`);
  for (const secret of [...backupCodes, key]) expect(JSON.stringify(rows)).not.toContain(secret);
});

it('cannot be guessed: a few wrong codes end the attempt', async () => {
  const { key } = await turnOn('eve@example.com');
  const visitor = await begin('eve@example.com');
  const statuses: number[] = [];
  for (let tries = 0; tries < 6; tries += 1) {
    const from = { 'x-forwarded-for': suite.visitor().address };
    statuses.push((await visitor.post('/api/auth/two-factor/verify-totp', { code: '000000' }, from)).status);
  }
  expect(statuses.slice(0, 5)).toEqual([401, 401, 401, 401, 401]);
  const late = { 'x-forwarded-for': suite.visitor().address };
  expect((await visitor.post('/api/auth/two-factor/verify-totp', { code: codeNow(key) }, late)).status).toBe(
    401,
  );
  expect(isSignedIn(visitor)).toBe(false);
});
