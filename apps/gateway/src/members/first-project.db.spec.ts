import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPeopleSuite, type PeopleSuite, type Visitor } from '../testing/people-suite.js';

let suite: PeopleSuite;
beforeAll(async () => {
  suite = await startPeopleSuite();
});
afterAll(() => suite.stop());

const textOf = async (person: Visitor, path = '/account') =>
  (await person.get(path)).text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
const projectsOf = async (person: Visitor) =>
  ((await person.get('/api/v1/users/me/projects')).json['data'] as { id: string; name: string }[]).map(
    ({ name }) => name,
  );

describe('who has just signed up', () => {
  it('creates a project from the account page', async () => {
    const person = await suite.buildPerson('founder@example.com');
    const account = (await person.get('/account')).text;
    expect(account).toContain('You are not a member of any project yet.');
    expect(account).toContain('href="/account/new-project"');
    expect(await textOf(person, '/account/new-project')).toContain('Create a project');
    const created = await person.submit('/account/new-project', { name: ' Ada’s shop ' });
    expect([created.status, created.headers.get('location')]).toEqual([303, '/account?said=created']);
    expect(await projectsOf(person)).toEqual(['Ada’s shop']);
    const text = await textOf(person, '/account?said=created');
    for (const part of ['Ada’s shop', 'Owner', 'The project was created.']) expect(text).toContain(part);
  });

  it('sees what is wrong with a name, or that there are too many projects', async () => {
    const person = await suite.buildPerson('many@example.com');
    const refused = await person.submit('/account/new-project', { name: ' ' });
    expect([refused.status, refused.text.includes('A name has 1 to 100 characters')]).toEqual([422, true]);
    for (const name of ['Shop\u0000', 'Shop\r\nBcc: all@example.org'])
      expect((await person.submit('/account/new-project', { name })).status).toBe(422);
    for (let count = 0; count < 5; count += 1)
      await person.submit('/account/new-project', { name: `P${count}` });
    const sixth = await person.submit('/account/new-project', { name: 'P6' });
    expect([sixth.status, sixth.text.includes('role="alert"'), sixth.text.includes('value="P6"')]).toEqual([
      429,
      true,
      true,
    ]);
    expect(await projectsOf(person)).toHaveLength(5);
  });

  it('accepts an invitation to their address from the account page, and nobody else’s', async () => {
    const { projectId } = await suite.buildProject();
    const owner = await suite.buildUser({ projectId });
    const invited = await suite.buildPerson('invited@example.com');
    const other = await suite.buildPerson('other@example.com');
    const { json } = await suite.request('POST', `/api/v1/projects/${projectId}/members`, {
      as: owner,
      body: { email: 'invited@example.com', role: 'ADMIN' },
    });
    const id = json['id'] as string;
    expect((await invited.get('/account')).text).toContain(`value="${id}"`);
    expect((await other.get('/account')).text).not.toContain(id);
    expect((await other.submit('/account/invitations', { id })).headers.get('location')).toBe('/account');
    expect(await projectsOf(other)).toEqual([]);
    const joined = await invited.submit('/account/invitations', { id });
    expect([joined.status, joined.headers.get('location')]).toEqual([303, '/account?said=joined']);
    expect(await projectsOf(invited)).toHaveLength(1);
    expect((await invited.submit('/account/invitations', { id })).headers.get('location')).toBe('/account');
  });

  it('has to sign in first', async () => {
    const visitor = suite.visitor();
    for (const path of ['/account/new-project', '/account/invitations'])
      expect((await visitor.submit(path, { name: 'x', id: 'x' })).headers.get('location')).toBe(
        '/sign-in?next=%2Faccount',
      );
  });
});
