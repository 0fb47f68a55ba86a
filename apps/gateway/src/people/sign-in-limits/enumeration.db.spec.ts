import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import type { Published } from '../../testing/gateway-suite.js';
import { password, startPeopleSuite, type PeopleSuite } from '../../testing/people-suite.js';

let suite: PeopleSuite;
const known = 'known@example.com';
beforeAll(async () => {
  suite = await startPeopleSuite();
  await suite.buildPerson(known);
});
afterAll(() => suite.stop());

const [fewest, most] = [4, 40];
type Pair = [of: number, ofNobody: number];

const fastests = (pairs: Pair[]) =>
  [0, 1].map((side) => Math.min(...pairs.map((pair) => pair[side]!))) as Pair;
const usualGap = (pairs: Pair[]) =>
  pairs.map(([of, anonymous]) => of - anonymous).sort((a, b) => a - b)[Math.floor(pairs.length / 2)]!;

/**
 * Other load only makes a response slower, so the fastest one shows its own time; because one fast sample may
 * be luck, most pairs must show the difference too.
 */
function tellsThemApart(pairs: Pair[]): boolean {
  const [of, anonymous] = fastests(pairs);
  return Math.min(Math.abs(of - anonymous), Math.abs(usualGap(pairs))) >= Math.max(15, 0.2 * anonymous);
}

async function request(path: string, email: string) {
  return suite.visitor().post(`/api/auth/${path}`, { name: 'Ada', email, password: 'another horse' });
}

/** Each to another project and another account, because an address gets few invitations. */
async function invite(address: string): Promise<Published> {
  const email = address === known ? `known-${newId()}@example.com` : address;
  if (address === known) await suite.buildUser({ email });
  const { projectId } = await suite.buildProject();
  const as = await suite.buildUser({ projectId });
  return suite.request('POST', `/api/v1/projects/${projectId}/members`, {
    as,
    body: { email, role: 'MEMBER' },
  });
}

/** Removes ids and instants, which always differ, and the requested address. */
const shapeOf = (text: string) =>
  text
    .replace(/"(id|createdAt|updatedAt|created_at|sent_at|expires_at|invited_by)":"[^"]+"/g, '"$1":…')
    .replace(/[\w-]+@example\.com/g, '<address>');

const paths = ['sign-up/email', 'request-password-reset', 'send-verification-email', 'sign-in/email'];
const ways: [says: string, ask: (email: string) => Promise<Published>][] = [
  ...paths.map((path): (typeof ways)[number] => [path, (email) => request(path, email)]),
  ['an invitation', (email) => invite(email)],
];

describe.each(ways)('%s', (path, requesting) => {
  it('responds equally and equally fast for known and unknown addresses', async () => {
    const pairs: Pair[] = [];
    for (let index = 0; index < fewest || (index < most && tellsThemApart(pairs)); index += 1) {
      const addresses = [known, `unknown-${path.replace(/\W/g, '')}-${index}@example.com`];
      if (index % 2 === 1) addresses.reverse();
      const published = [await requesting(addresses[0]!), await requesting(addresses[1]!)];
      if (index % 2 === 1) published.reverse();
      expect([published[0]!.status, shapeOf(published[0]!.text)]).toEqual([
        published[1]!.status,
        shapeOf(published[1]!.text),
      ]);
      pairs.push([published[0]!.ms, published[1]!.ms]);
    }
    expect([pairs, tellsThemApart(pairs)]).toEqual([pairs, false]);
  });
});

it('informs only the owner of an address that somebody signed up with it', async () => {
  const email = 'owned@example.com';
  await suite.buildPerson(email);
  await suite.visitor().post('/api/auth/sign-up/email', { name: 'Eve', email, password: 'another horse' });
  expect((await suite.mailsTo(email)).at(-1)!.subject).toBe('You already have an account');
  expect((await suite.visitor().post('/api/auth/sign-in/email', { email, password })).status).toBe(200);
});
