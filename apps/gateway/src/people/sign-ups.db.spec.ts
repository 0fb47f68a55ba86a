import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { noProject, users } from '@posthorn/contracts';
import { readConfig } from '@posthorn/platform';
import { GatewayConfig } from '../config.js';
import { operatorOf, type Published } from '../testing/gateway-suite.js';
import { password, startPeopleSuite, type PeopleSuite } from '../testing/people-suite.js';

const refusedBy = (code: string, message: string) => ({ status: 403, json: { code, message } });
const notInvited = refusedBy(
  'SIGN_UP_NEEDS_INVITATION',
  'Only addresses with an open invitation can sign up. Ask a member of the project to invite this address.',
);
const off = refusedBy(
  'SIGN_UP_IS_OFF',
  'Nobody can sign up here. Ask the operator of this installation for an account.',
);

it('only invited addresses may sign up unless SIGN_UP says otherwise', () => {
  expect(readConfig(GatewayConfig, { POSTHORN_SECRET_KEY: 'x'.repeat(32) }).signUp).toBe('invite');
});

describe.each(['invite', 'off'] as const)('with SIGN_UP=%s', (mode) => {
  let suite: PeopleSuite;
  let owner: { projectId: string; person: Awaited<ReturnType<PeopleSuite['buildUser']>> };
  beforeAll(async () => {
    suite = await startPeopleSuite({ SIGN_UP: mode });
    const { projectId } = await suite.buildProject();
    owner = { projectId, person: await suite.buildUser({ projectId }) };
  });
  afterAll(() => suite.stop());

  const signUp = (email: string): Promise<Published> =>
    suite.visitor().post('/api/auth/sign-up/email', { name: 'Ada', email, password });
  const members = () => `/api/v1/projects/${owner.projectId}/members`;
  const invite = async (email: string): Promise<string> => {
    const body = { email, role: 'MEMBER' };
    const { json } = await suite.request('POST', members(), { as: owner.person, body });
    return json['id'] as string;
  };
  const invited = mode === 'off' ? off : { status: 200 };
  const uninvited = mode === 'off' ? off : notInvited;

  it('refuses addresses without an invitation alike, whether they have an account or not', async () => {
    await suite.bus.call(users.create, operatorOf(noProject), { email: 'known@example.com', verified: true });
    for (const email of ['known@example.com', 'unknown@example.com', 'no address'])
      expect(await signUp(email)).toMatchObject(uninvited);
    expect(await suite.mailsTo('known@example.com')).toEqual([]);
    expect(await suite.database.query(`SELECT 1 FROM auth_users WHERE email LIKE 'unknown%'`)).toEqual([]);
  });

  it('considers open invitations only', async () => {
    const id = await invite('ada@example.com');
    expect(await signUp('Ada@Example.com')).toMatchObject(invited);
    const withdrawn = await invite('withdrawn@example.com');
    await suite.request('DELETE', `/api/v1/projects/${owner.projectId}/invitations/${withdrawn}`, {
      as: owner.person,
    });
    expect(await signUp('withdrawn@example.com')).toMatchObject(uninvited);
    expect(id).not.toBe(withdrawn);
  });

  it('says it on the page', async () => {
    const page = await suite.visitor().get('/sign-up');
    const signIn = await suite.visitor().get('/sign-in');
    if (mode === 'off') {
      expect(page.text).toContain(off.json.message);
      expect(page.text).not.toContain('<form');
      expect(signIn.text).not.toContain('/sign-up');
    } else {
      expect(page.text).toContain('The address that your invitation was sent to.');
      expect(signIn.text).toContain('/sign-up');
    }
    const refused = await suite
      .visitor()
      .submit('/sign-up', { name: 'Eve', email: 'eve@example.com', password });
    expect(refused.status).toBe(403);
    expect(refused.text).toContain(uninvited.json.message);
  });

  it('limits how often a client may try', async () => {
    const visitor = suite.visitor();
    const statuses: number[] = [];
    for (let index = 0; index < 4; index += 1)
      statuses.push(
        (
          await visitor.post('/api/auth/sign-up/email', {
            name: 'Eve',
            email: `eve-${index}@example.com`,
            password,
          })
        ).status,
      );
    expect(statuses).toEqual([403, 403, 403, 429]);
  });

  it('counts refused and accepted attempts of an IPv6 network together', async () => {
    await invite('six@example.com');
    const attempts = [
      ['2001:db8::1', 'eve@example.com'],
      ['2001:DB8:0:0:9::2', 'six@example.com'],
      ['2001:0db8::ffff:3', 'eve@example.com'],
      ['2001:db8::4', 'six@example.com'],
    ] as const;
    const statuses: number[] = [];
    for (const [address, email] of attempts) {
      const body = { name: 'Ada', email, password };
      const headers = { 'x-forwarded-for': address };
      statuses.push((await suite.visitor().post('/api/auth/sign-up/email', body, headers)).status);
    }
    expect(statuses).toEqual([403, invited.status, 403, 429]);
    const keys = await suite.database.query<{ key: string }>(
      `SELECT key FROM auth_rate_limits WHERE key LIKE '2001%'`,
    );
    expect(keys).toHaveLength(1);
  });

  it('lets the operator create users', async () => {
    const person = { email: 'operated@example.com', password, verified: true };
    await suite.bus.call(users.create, operatorOf(noProject), person);
    const { email } = person;
    expect((await suite.visitor().post('/api/auth/sign-in/email', { email, password })).status).toBe(200);
  });
});
