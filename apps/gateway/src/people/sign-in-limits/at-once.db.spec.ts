import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { password, startPeopleSuite, type PeopleSuite } from '../../testing/people-suite.js';

let suite: PeopleSuite;
beforeAll(async () => {
  suite = await startPeopleSuite();
});
afterAll(() => suite.stop());

it('allows three of twenty concurrent attempts of one address', async () => {
  const visitor = suite.visitor();
  const body = { email: 'nobody@example.com', password };
  const published = await Promise.all(
    Array.from({ length: 20 }, () => visitor.post('/api/auth/sign-in/email', body)),
  );
  const statuses = published.map(({ status }) => status).toSorted((a, b) => a - b);
  expect([statuses.slice(0, 3), new Set(statuses.slice(3))]).toEqual([[401, 401, 401], new Set([429])]);
});

it('creates one account for concurrent sign-ups with one address, with equal responses', async () => {
  const body = { email: 'twice@example.com', name: 'Ada', password };
  const published = await Promise.all(
    Array.from({ length: 4 }, () => suite.visitor().post('/api/auth/sign-up/email', body)),
  );
  expect(published.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const accounts = await suite.database.query(
    `SELECT 1 FROM auth_accounts JOIN auth_users person ON person.id = "userId" WHERE email = 'twice@example.com'`,
  );
  expect(accounts).toHaveLength(1);
});

it('accepts a link once of ten concurrent uses', async () => {
  const email = 'reset@example.com';
  await suite.buildPerson(email);
  await suite.visitor().post('/api/auth/request-password-reset', { email });
  const token = await suite.tokenFor(email);
  const published = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      suite.visitor().post('/api/auth/reset-password', { token, newPassword: `another horse ${index}` }),
    ),
  );
  expect(published.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200,
    ...Array<number>(9).fill(400),
  ]);
});
