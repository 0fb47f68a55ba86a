import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { inboxMessages, rawMessage } from '../testing/inbox.js';
import { makeDataDirectory, RunningPosthorn } from '../testing/running-posthorn.js';

const run = promisify(execFile);
const today = () => new Date().toISOString().slice(0, 10);

describe('the main job of a newcomer', () => {
  const directory = makeDataDirectory({ isEmpty: true });
  let posthorn: RunningPosthorn;
  let id: string;

  beforeAll(async () => {
    posthorn = await RunningPosthorn.start(directory.path);
  });
  afterAll(async () => {
    await posthorn.stop();
    directory.remove();
  });

  it('prints a curl command that works', async () => {
    const curl = /curl -sS[\s\S]*?'\n\n/.exec(posthorn.output)?.[0] ?? '';
    const { stdout } = await run('bash', ['-c', curl]);
    const receipt = JSON.parse(stdout) as { id: string };
    expect(receipt).toEqual({
      id: expect.any(String),
      status: 'PENDING',
      to: 'ada@example.com',
      from: 'hello@example.test',
    });
    id = receipt.id;
  });

  it('keeps its keys readable by the owner only', () => {
    for (const name of ['dev.json', 'secret.key', 'servers.json'])
      expect(statSync(join(directory.path, name)).mode & 0o777).toBe(0o600);
  });

  it('delivers the mail to the inbox', async () => {
    const messages = await eventually(async () => {
      const all = await inboxMessages(posthorn);
      return all.length > 0 && all;
    }, 'a mail in the inbox');
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({ subject: 'Hello', envelope: { to: ['ada@example.com'] } });
    const raw = await rawMessage(posthorn, messages[0]!.id);
    expect(raw).toContain(`Message-ID: <${id}@example.test>`);
  });

  it('shows the e-mail as DELIVERED with its events, on both surfaces', async () => {
    const email = await eventually(async () => {
      const { body } = await posthorn.get(`/api/v1/emails/${id}`);
      return body.status === 'DELIVERED' ? body : null;
    }, 'DELIVERED');
    expect(email.events.map(({ status }: { status: string }) => status)).toEqual(['PENDING', 'DELIVERED']);
    expect(email.delivered_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const legacy = await posthorn.get(`/api/emails/${id}`);
    expect(legacy.body).toMatchObject({
      success: true,
      data: { id, projectId: posthorn.dev.projectId, status: 'DELIVERED', deliveredAt: email.delivered_at },
    });
    const list = await posthorn.get('/api/emails');
    expect(list.body).toMatchObject({ success: true, data: [{ id }], nextCursor: null });
  });

  it('creates the contact and counts the day', async () => {
    const contact = await eventually(
      async () => (await posthorn.get('/api/v1/contacts?search=ada')).body.data[0],
      'the contact',
    );
    expect(contact).toMatchObject({ email: 'ada@example.com', subscribed: false, custom_fields: '{}' });
    await eventually(async () => {
      const { body } = await posthorn.get('/api/v1/analytics/timeseries');
      const day = body.data.find(({ date }: { date: string }) => date === today());
      return day?.emails === 1 && day.delivered === 1;
    }, 'the day counted');
    const legacy = await posthorn.get('/api/analytics/timeseries');
    expect(legacy.body.data.data.at(-1)).toMatchObject({ emails: 1, delivered: 1, bounces: 0 });
  });

  it('sends from the legacy surface, one row per recipient', async () => {
    const { status, body } = await posthorn.post('/api/emails', {
      to: ['one@example.com', 'Two <two@example.com>'],
      subject: 'Both',
      body: '<p>Hi</p>',
    });
    expect(status).toBe(200);
    expect(body.data.emails.map(({ contact }: { contact: { email: string } }) => contact.email)).toEqual([
      'one@example.com',
      'two@example.com',
    ]);
    for (const { email, contact } of body.data.emails) {
      expect((await posthorn.get(`/api/emails/${email}`)).body.data.contactId).toBe(contact.id);
      expect((await posthorn.get(`/api/contacts/${contact.id}`)).body.data.email).toBe(contact.email);
    }
  });

  it('cannot cancel an e-mail that is not PENDING', async () => {
    const { status, body } = await posthorn.post(`/api/v1/emails/${id}/cancel`, undefined);
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'conflict', status: 409 });
  });

  it('applies operator commands: a revoked key is refused, a suppressed address gets nothing', async () => {
    const operator = async (...texts: string[]) => {
      const { stdout } = await run(process.execPath, ['dist/tools/operator/src/main.js', ...texts], {
        env: { ...process.env, POSTHORN_DATA_DIR: directory.path },
      });
      return JSON.parse(stdout);
    };
    const key = await operator('keys', 'create', '--name', 'short-lived');
    const withKey = { authorization: `Bearer ${key.token}` };
    expect((await posthorn.get('/api/v1/emails', withKey)).status).toBe(200);
    await operator('keys', 'revoke', '--id', key.id);
    await delay(1_000);
    expect((await posthorn.get('/api/v1/emails', withKey)).status).toBe(401);

    await operator('suppressions', 'add', '--email', 'gone@example.com');
    const { body } = await posthorn.post('/api/v1/emails', {
      to: 'gone@example.com',
      subject: 'Not wanted',
      body: '<p>Hi</p>',
    });
    const email = await eventually(async () => {
      const found = (await posthorn.get(`/api/v1/emails/${body.id}`)).body;
      return found.status === 'FAILED' ? found : null;
    }, 'FAILED');
    expect(email.failure_kind).toBe('suppressed');
  });

  it('stops on Ctrl-C, leaves nothing running, and keeps all data', async () => {
    const { natsUrl, databaseUrls } = posthorn.servers;
    const secretKey = posthorn.dev.secretKey;
    expect(await posthorn.stop()).toBe(0);
    for (const url of [natsUrl, ...databaseUrls, posthorn.dev.baseUrl])
      await expect(connects(url)).resolves.toBe(false);
    posthorn = await RunningPosthorn.start(directory.path);
    expect(posthorn.dev.secretKey).toBe(secretKey);
    expect((await posthorn.get(`/api/v1/emails/${id}`)).body.status).toBe('DELIVERED');
    const messages = await eventually(async () => {
      const all = await inboxMessages(posthorn);
      return all.length >= 3 && all;
    }, 'every mail in the inbox');
    expect(messages).toHaveLength(3);
  });
});

async function connects(url: string): Promise<boolean> {
  const { connect } = await import('node:net');
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port) });
    socket.once('connect', () => resolve(socket.destroy() !== null));
    socket.once('error', () => resolve(false));
  });
}
