import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Told } from '../testing/gateway-suite.js';
import { password, startPeopleSuite, type PeopleSuite } from '../testing/people-suite.js';

let suite: PeopleSuite;
const known = 'known@example.com';
beforeAll(async () => {
  suite = await startPeopleSuite();
  await suite.buildPerson(known);
});
afterAll(() => suite.stop());

const [fewest, most] = [4, 40];
/** What else runs on the machine only adds: the fastest shows what the answer itself takes, the surer the more are asked. */
const fastest = (values: number[]) => Math.min(...values);
const tellsThemApart = ([of, ofNobody]: [number, number]) => Math.abs(of - ofNobody) >= Math.max(15, 0.2 * ofNobody);

async function ask(path: string, email: string) {
  return suite.visitor().post(`/api/auth/${path}`, { name: 'Ada', email, password: 'another horse' });
}

/** Each to a project of its own: one sends an invitation a minute to an address. */
async function invite(email: string): Promise<Told> {
  const { projectId } = await suite.buildProject();
  const as = await suite.buildUser({ projectId });
  return suite.ask('POST', `/api/v1/projects/${projectId}/members`, { as, body: { email, role: 'MEMBER' } });
}

/** Ids and instants are new each time; the address is what was asked. */
const shapeOf = (text: string) =>
  text
    .replace(/"(id|createdAt|updatedAt|created_at|sent_at|expires_at|invited_by)":"[^"]+"/g, '"$1":…')
    .replace(/[\w-]+@example\.com/g, '<address>');

const paths = ['sign-up/email', 'request-password-reset', 'send-verification-email', 'sign-in/email'];
const ways: [says: string, ask: (email: string) => Promise<Told>][] = [
  ...paths.map((path): (typeof ways)[number] => [path, (email) => ask(path, email)]),
  ['an invitation', (email) => invite(email)],
];

describe.each(ways)('%s', (path, asking) => {
  it('answers alike for known and unknown addresses, and takes as long', async () => {
    const took: [number[], number[]] = [[], []];
    const fastests = () => took.map(fastest) as [number, number];
    for (let index = 0; index < fewest || (index < most && tellsThemApart(fastests())); index += 1) {
      const addresses = [known, `unknown-${path.replace(/\W/g, '')}-${index}@example.com`];
      const told = [await asking(addresses[0]!), await asking(addresses[1]!)];
      expect([told[0]!.status, shapeOf(told[0]!.text)]).toEqual([told[1]!.status, shapeOf(told[1]!.text)]);
      told.forEach(({ ms }, place) => took[place]!.push(ms));
    }
    expect([fastests(), tellsThemApart(fastests())]).toEqual([fastests(), false]);
  });
});

it('tells the owner of an address, and nobody else, that somebody signed up with it', async () => {
  await suite.visitor().post('/api/auth/sign-up/email', { name: 'Eve', email: known, password: 'another horse' });
  expect((await suite.mailsTo(known)).at(-1)!.subject).toBe('You have an account already');
  expect((await suite.visitor().post('/api/auth/sign-in/email', { email: known, password })).status).toBe(200);
});
