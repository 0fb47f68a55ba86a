import { describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { withPosthorn } from '../testing/bad-input.js';
import { inboxMessages } from '../testing/inbox.js';

const suite = withPosthorn();
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const keysPath = () => `/api/v1/projects/${suite.posthorn.dev.projectId}/api-keys`;
const tokenOf = async (...texts: string[]) =>
  (await suite.operator('keys', 'create', '--name', 'e2e', ...texts))['token']!;

describe('a key that manages keys', () => {
  it('creates, reads, reduces, rotates and revokes another key, and never sees its secret', async () => {
    const { posthorn } = suite;
    const made = await posthorn.post(keysPath(), { name: 'Shop', scopes: ['contacts:read', 'emails:send'] });
    expect([made.status, made.body.last_four.length]).toEqual([201, 4]);
    const one = `${keysPath()}/${made.body.id}`;
    expect((await posthorn.get(keysPath())).body.data[0].id).toBe(made.body.id);
    expect((await posthorn.request('PATCH', one, { scopes: ['emails:send'] })).body.scopes).toEqual([
      'emails:send',
    ]);
    const rotated = await posthorn.request('POST', `${one}/rotate`);
    expect(rotated.status).toBe(200);
    const { pathname, search } = new URL(rotated.body.reveal_url);
    const revealed = await posthorn.get(pathname + search);
    expect([revealed.status, revealed.body.error.code]).toEqual([401, 'INVALID_SESSION']);
    expect((await posthorn.request('DELETE', one)).body).toEqual({ id: made.body.id, deleted: true });
    const legacy = await posthorn.post(`${one.replace('/v1', '')}/rotate`, undefined);
    expect([legacy.status, legacy.body.error.code]).toEqual([400, 'KEY_REVOKED']);
    for (const answer of [made, rotated]) expect(answer.text).not.toMatch(/[sp]k_(live|test)_/);
  });

  it('cannot create a key with more rights, on either surface', async () => {
    const key = await tokenOf('--scopes', 'api-keys:write,emails:send');
    const v1 = await suite.posthorn.post(keysPath(), { name: 'More' }, bearer(key));
    expect([v1.status, v1.body.code]).toEqual([400, 'validation_error']);
    const legacy = await suite.posthorn.post(
      keysPath().replace('/v1', ''),
      { name: 'More', scopes: ['emails:read'] },
      bearer(key),
    );
    expect([legacy.status, legacy.body.error.code]).toEqual([400, 'SCOPE_ESCALATION']);
  });

  it('has no access to other projects, whether they exist or not', async () => {
    const { id } = await suite.operator('projects', 'create', '--name', 'Another');
    for (const other of [id!, '019b0000-0000-7000-8000-000000000001', 'no-id']) {
      const { status, body } = await suite.posthorn.get(`/api/v1/projects/${other}/api-keys`);
      expect([status, body.code]).toEqual([403, 'project_access_denied']);
    }
  });
});

describe('the operator', () => {
  it('disables a project with a reason, which refuses sends but not reads, limits it, and enables it, at runtime', async () => {
    const { posthorn, operator } = suite;
    const { id } = await operator('projects', 'create', '--name', 'Held');
    const key = (await operator('keys', 'create', '--project', id!, '--name', 'e2e'))['token']!;
    const request = async () => [
      (
        await posthorn.post(
          '/api/v1/emails',
          { to: 'ada@example.com', subject: 'Hi', body: 'x' },
          bearer(key),
        )
      ).body.code,
      (await posthorn.get('/api/v1/contacts', bearer(key))).status,
    ];
    await expect(operator('projects', 'disable', '--project', id!, '--reason', 'BECAUSE')).rejects.toThrow();
    await operator('projects', 'disable', '--project', id!, '--reason', 'MANUAL');
    await eventually(async () => (await request())[0] === 'project_disabled', 'the send is refused');
    expect(await request()).toEqual(['project_disabled', 200]);
    await operator('projects', 'enable', '--project', id!);
    await eventually(async () => (await request())[0] !== 'project_disabled', 'it may send again');
    expect(await operator('projects', 'limits', '--project', id!, '--secret', '7')).toMatchObject({ id });
  });

  it('verifies a user, and registers and removes an application', async () => {
    const { operator } = suite;
    await operator('users', 'create', '--email', 'unreached@example.com');
    expect(await operator('users', 'verify', '--email', 'unreached@example.com')).toMatchObject({
      verified: true,
    });
    const { clientId, clientSecret } = await operator(
      'applications',
      'register',
      '--name',
      'Shop',
      '--redirect-uri',
      'https://shop.example/in',
    );
    expect([typeof clientId, clientSecret!.slice(0, 4)]).toEqual(['string', 'ocs_']);
    expect(await operator('applications', 'remove', '--client', clientId!)).toEqual({ clientId });
  });
});

describe('a TEST key', () => {
  it('sends only from its sandbox and only to the simulator, on both surfaces', async () => {
    const key = await tokenOf('--mode', 'TEST');
    const project = await suite.posthorn.get(`/api/v1/projects/${suite.posthorn.dev.projectId}`);
    const from = project.body.sandbox_address as string;
    const mail = {
      to: 'success@simulator.posthorn.test',
      from,
      subject: 'From the sandbox',
      body: '<p>Hi</p>',
    };
    for (const path of ['/api/v1/emails', '/api/emails']) {
      const refusals = [
        { ...mail, from: 'hello@example.test' },
        { ...mail, to: 'ada@example.com' },
      ];
      for (const refused of refusals) {
        const { status, text } = await suite.posthorn.post(path, refused, bearer(key));
        expect([status, text.toLowerCase()]).toEqual([403, expect.stringContaining('scope_missing')]);
      }
      expect((await suite.posthorn.post(path, mail, bearer(key))).status).toBe(
        path.includes('v1') ? 202 : 200,
      );
      const live = await suite.posthorn.post(path, mail);
      expect([live.status, live.text]).toEqual([
        403,
        expect.stringContaining('Only a TEST key can send from the sandbox address'),
      ]);
      expect(live.text.toLowerCase()).toContain('"code":"scope_missing"');
    }
    await eventually(async () => {
      const { body } = await suite.posthorn.get(`/api/v1/emails?to=${mail.to}`);
      const statuses = (body.data as { status: string }[]).map(({ status }) => status);
      return statuses.join() === 'DELIVERED,DELIVERED';
    }, 'both mails are delivered, as the simulator says');
    const arrived = (await inboxMessages(suite.posthorn)).filter(({ envelope }) =>
      envelope.to.includes(mail.to),
    );
    expect(arrived).toEqual([]);
    const contacts = await suite.posthorn.get('/api/v1/contacts');
    expect(JSON.stringify(contacts.body.data)).not.toContain('ada@example.com');
  });
});

describe('the operator', () => {
  it('seals secrets again under a new key and reports what is left', async () => {
    expect(await suite.operator('secrets', 'rotate')).toEqual({ rotated: 0, unreadable: 0, left: 0 });
  });
});
