import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import { password, startPeopleSuite, type PeopleSuite, type Visitor } from '../../testing/people-suite.js';

let suite: PeopleSuite;
beforeAll(async () => {
  suite = await startPeopleSuite();
});
afterAll(() => suite.stop());

interface Listed {
  id: string;
  device: string;
  address: string;
  current: boolean;
}

const listed = async (person: Visitor) =>
  (await person.get('/api/v1/users/me/sessions')).json['sessions'] as Listed[];
const again = async (email: string) => {
  const visitor = suite.visitor();
  await visitor.post('/api/auth/sign-in/email', { email, password }, { 'user-agent': 'Second browser' });
  return visitor;
};

it('a user sees the sessions and none of their tokens', async () => {
  const person = await suite.buildPerson('ada@example.com');
  const other = await again('ada@example.com');
  const sessions = await listed(person);
  expect(sessions).toMatchObject([
    { device: 'Second browser', address: other.address, current: false },
    { address: person.address, current: true },
  ]);
  const rows = await suite.database.query<{ token: string }>(`SELECT token FROM auth_sessions`);
  const published = (await person.get('/api/users/me/sessions')).text;
  for (const { token } of rows) expect(published).not.toContain(token);
});

it('ends one session, then all others; both are refused everywhere within a second', async () => {
  const person = await suite.buildPerson('grace@example.com');
  const [one, two] = [await again('grace@example.com'), await again('grace@example.com')];
  expect((await listed(one)).length).toBe(3);
  const theirs = (await listed(one)).find(({ current }) => current)!;
  const ended = await person.request('DELETE', `/api/v1/users/me/sessions/${theirs.id}`);
  expect([ended.status, ended.json]).toEqual([200, { id: theirs.id, deleted: true }]);
  expect((await person.request('DELETE', `/api/v1/users/me/sessions/${theirs.id}`)).status).toBe(404);
  expect((await person.request('DELETE', `/api/users/me/sessions`)).json).toEqual({ success: true });
  await delay(1_000);
  expect(
    (await Promise.all([one, two, person].map((visitor) => visitor.get('/api/v1/users/me/sessions')))).map(
      ({ status }) => status,
    ),
  ).toEqual([401, 401, 200]);
});

it('gets the same response for a session of another user and an unknown one', async () => {
  const person = await suite.buildPerson('eve@example.com');
  const foreign = (await listed(await suite.buildPerson('mallory@example.com')))[0]!.id;
  const published = await Promise.all(
    [foreign, newId()].map((id) => person.request('DELETE', `/api/users/me/sessions/${id}`)),
  );
  expect([published[0]!.status, published[0]!.text]).toEqual([404, published[1]!.text]);
});

it('refuses keys, requests without session, and other origins', async () => {
  const { projectId } = await suite.buildProject();
  const { token } = await suite.buildKey(projectId);
  const person = await suite.buildPerson('joan@example.com');
  const path = '/api/v1/users/me/sessions';
  const published = [
    await suite.request('GET', path),
    await suite.request('GET', path, { key: token }),
    await person.request('DELETE', path, { headers: { origin: 'https://evil.example' } }),
  ];
  expect(published.map(({ status, json }) => [status, json['code']])).toEqual([
    [401, 'invalid_session'],
    [401, 'invalid_session'],
    [403, 'scope_missing'],
  ]);
});
