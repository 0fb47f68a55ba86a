import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ExpiredRepository } from '../people/expired.repository.js';
import { password, startPeopleSuite, type PeopleSuite } from '../testing/people-suite.js';

let suite: PeopleSuite;
beforeAll(async () => {
  suite = await startPeopleSuite();
});
afterAll(() => suite.stop());

/** Each time from another client address. */
const post = (path: string, body: object) => suite.visitor().post(`/api/auth/${path}`, body);
const signUp = (email: string) => post('sign-up/email', { name: 'Ada', email, password });
const repeat = async (times: number, request: () => Promise<{ status: number }>) => {
  const statuses = new Set<number>();
  for (let each = 0; each < times; each += 1) statuses.add((await request()).status);
  return [...statuses];
};
const subjectsTo = async (email: string) => {
  const counts: Record<string, number> = {};
  for (const { subject } of await suite.mailsTo(email)) counts[subject] = (counts[subject] ?? 0) + 1;
  return counts;
};
const later = (hours: number) =>
  suite.database.query(
    `UPDATE system_mail_recipients
     SET sent_at = (SELECT array_agg(at - make_interval(hours => $1) ORDER BY at) FROM unnest(sent_at) AS at)`,
    [hours],
  );

/** Invites the address each time as if a minute had passed. */
async function buildInviter(email: string) {
  const { projectId } = await suite.buildProject();
  const as = await suite.buildUser({ projectId });
  return async () => {
    await suite.database.query(
      `UPDATE invitations SET sent_at = sent_at - interval '2 minutes' WHERE project_id = $1`,
      [projectId],
    );
    const body = { email, role: 'MEMBER' };
    return suite.request('POST', `/api/v1/projects/${projectId}/members`, { as, body });
  };
}

describe('mails to one address', () => {
  it('are few, however many clients ask for them, and nobody sees that they were dropped', async () => {
    const email = 'stranger@example.com';
    await signUp(email);
    const statuses = await Promise.all([
      repeat(12, () => post('sign-in/email', { email, password })),
      repeat(12, () => post('send-verification-email', { email })),
      repeat(12, () => signUp(email)),
      repeat(12, () => post('request-password-reset', { email })),
    ]);
    expect(statuses).toEqual([[403], [200], [200], [200]]);
    expect(await subjectsTo(email)).toEqual({
      'Confirm your address': 5,
      'You already have an account': 5,
      'Set a new password': 5,
    });
  });

  it('are five for each tag of a mailbox, and twenty for all of its tags together', async () => {
    const tags = (first: number, end: number) =>
      Array.from({ length: end - first }, (_, index) => `qa+${first + index}@example.com`);
    await Promise.all([...tags(0, 5), 'qa@example.com'].map(signUp));
    expect(await subjectsTo('qa@example.com')).toEqual({ 'Confirm your address': 1 });
    const email = 'qa+0@example.com';
    await repeat(8, () => post('send-verification-email', { email }));
    expect(await subjectsTo(email)).toEqual({ 'Confirm your address': 5 });
    await Promise.all(tags(5, 20).map(signUp));
    const mails = await Promise.all(tags(0, 20).map(suite.mailsTo));
    expect(mails.flat()).toHaveLength(19);
  });

  it('are as few when all are requested at once', async () => {
    const email = 'at-once@example.com';
    await suite.buildPerson(email);
    await Promise.all(Array.from({ length: 20 }, () => post('request-password-reset', { email })));
    expect(await subjectsTo(email)).toMatchObject({ 'Set a new password': 5 });
  });

  it('are sent again an hour later; past ten a day one an hour, so that the newest link still works', async () => {
    const email = 'patient@example.com';
    await suite.buildPerson(email);
    const sentBy = async (requests: number) => {
      const before = (await suite.mailsTo(email)).length;
      await repeat(requests, () => post('request-password-reset', { email }));
      return (await suite.mailsTo(email)).length - before;
    };
    expect(await sentBy(2)).toBe(2);
    expect(await sentBy(5)).toBe(3);
    await later(1);
    expect(await sentBy(7)).toBe(5);
    await later(1);
    expect(await sentBy(3)).toBe(1);
    await later(1);
    expect(await sentBy(3)).toBe(1);
    await later(24);
    expect(await sentBy(7)).toBe(5);
  });

  it('are ten invitations an hour of one project, which leave room for another one', async () => {
    const email = 'wanted@example.com';
    const [one, other] = [await buildInviter(email), await buildInviter(email)];
    expect(await repeat(10, one)).toEqual([201]);
    const refused = await one();
    expect([refused.status, refused.json['code']]).toEqual([429, 'rate_limited']);
    expect(refused.json['detail']).toMatch(
      /^This address was invited as often as is allowed; try again in \d+ (?:seconds|minutes)/,
    );
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect((await other()).status).toBe(201);
    expect(await subjectsTo(email)).toEqual({ 'You have been invited to a project': 11 });
    await later(1);
    expect((await one()).status).toBe(201);
  });

  it('are forty invitations a day of all projects together, then one an hour', async () => {
    const email = 'famous@example.com';
    for (let project = 0; project < 4; project += 1)
      expect(await repeat(10, await buildInviter(email))).toEqual([201]);
    const another = await buildInviter(email);
    expect((await another()).status).toBe(429);
    const open = await suite.database.query(`SELECT 1 FROM invitations WHERE email = $1`, [email]);
    expect(open).toHaveLength(4);
    await later(1);
    expect([(await another()).status, (await another()).status]).toEqual([201, 429]);
    await later(24);
    expect(await repeat(3, another)).toEqual([201]);
  });

  it('are counted under a hash, which is kept for a day', async () => {
    await signUp('hashed@example.com');
    const kept = async () =>
      JSON.stringify(await suite.database.query(`SELECT * FROM system_mail_recipients`));
    expect(await kept()).not.toMatch(/hashed|example/);
    const forget = () => new ExpiredRepository(suite.database).forget();
    await forget();
    expect(await kept()).not.toBe('[]');
    await later(25);
    await forget();
    expect(await kept()).toBe('[]');
  });
});
