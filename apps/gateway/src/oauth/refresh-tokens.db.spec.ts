import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { Application, buildOwner, errorOf } from '../testing/application.js';
import { join } from '../testing/people.js';
import { startPeopleSuite, type PeopleSuite, type Visitor } from '../testing/people-suite.js';

let suite: PeopleSuite;
let ada: Visitor;
let projectId: string;
let notebook: Application;
const lasting = 'contacts:read lists:read api-keys:read offline_access';

beforeAll(async () => {
  suite = await startPeopleSuite();
  ({ person: ada, projectId } = await buildOwner(suite, 'ada@example.com'));
  notebook = await Application.register(suite);
});
afterAll(() => suite.stop());

const get = (path: string, token: string) => suite.request('GET', path, { key: token });

describe('refresh tokens', () => {
  it('work once; using one twice revokes all of them', async () => {
    const first = await notebook.authorize(ada, projectId, lasting);
    const second = await notebook.refresh(first.refresh_token!);
    expect(second.scope).toBe(lasting);
    expect((await get(`/api/v1/projects/${projectId}/api-keys`, second.access_token)).status).toBe(200);
    expect(await errorOf(notebook.refresh(first.refresh_token!))).toBe('invalid_grant');
    expect(await errorOf(notebook.refresh(second.refresh_token!))).toBe('invalid_grant');
    await eventually(
      async () => (await get('/api/v1/contacts', second.access_token)).status === 401,
      'the gateway cache has expired',
    );
  });

  it('of two concurrent uses one succeeds', async () => {
    const { refresh_token: token } = await notebook.authorize(ada, projectId, lasting);
    const both = await Promise.all([1, 2].map(() => errorOf(notebook.refresh(token!))));
    expect(both.sort()).toEqual(['invalid_grant', 'no error']);
  });

  it('outlive their session and end with a new password, a revocation or the grant', async () => {
    const eve = await suite.buildPerson('eve@example.com');
    const [{ id }] = (await suite.database.query<{ id: string }>(
      `SELECT id FROM auth_users WHERE email = 'eve@example.com'`,
    )) as [{ id: string }];
    await join(suite.database, projectId, { userId: id }, 'OWNER');
    const start = () => notebook.authorize(eve, projectId, lasting);
    let held = await start();
    await eve.post('/api/auth/sign-out');
    held = await notebook.refresh(held.refresh_token!);
    await notebook.revoke(held.refresh_token!);
    expect(await errorOf(notebook.refresh(held.refresh_token!))).toBe('invalid_grant');
    await eve.post('/api/auth/sign-in/email', {
      email: 'eve@example.com',
      password: 'correct horse battery',
    });
    held = await start();
    const page = await eve.get('/account/applications');
    expect(page.text).toContain('Notebook in A project');
    const [, grant = ''] = /name="id" value="([^"]+)"/.exec(page.text) ?? [];
    await eve.submit('/account/applications', { id: grant });
    expect(await errorOf(notebook.refresh(held.refresh_token!))).toBe('invalid_grant');
    held = await start();
    await eve.post('/api/auth/change-password', {
      currentPassword: 'correct horse battery',
      newPassword: 'another horse battery',
    });
    expect(await errorOf(notebook.refresh(held.refresh_token!))).toBe('invalid_grant');
    const actions = await suite.database.query<{ action: string }>(
      `SELECT action FROM audit_entries WHERE project_id = $1 AND actor_id = $2 ORDER BY id`,
      [projectId, id],
    );
    expect(actions.map(({ action }) => action)).toEqual([
      'token.granted',
      'token.granted',
      'token.revoked',
      'token.granted',
      'token.revoked',
    ]);
  });
});
