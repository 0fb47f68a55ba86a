import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres, type PostgresServer } from '@posthorn/dev';
import { SmtpSink, startTestNats, type TestNats, eventually } from '@posthorn/testing';
import pg from 'pg';
import { makeDataDirectory, RunningPosthorn } from './testing/running-posthorn.js';

describe('with servers that somebody else started', () => {
  const directory = makeDataDirectory();
  const root = mkdtempSync(join(tmpdir(), 'posthorn-servers-'));
  let servers: [PostgresServer, TestNats, SmtpSink];
  let posthorn: RunningPosthorn;

  beforeAll(async () => {
    chmodSync(root, 0o755);
    servers = await Promise.all([startPostgres({ dataDirectory: join(root, 'postgres') }), startTestNats(), SmtpSink.start()]);
    const [postgres, nats, sink] = servers;
    posthorn = await RunningPosthorn.start(directory.path, { DATABASE_URL: postgres.url, NATS_URL: nats.url, SMTP_URL: sink.url });
  });
  afterAll(async () => {
    await posthorn.stop();
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(root, { recursive: true, force: true });
    directory.remove();
  });

  it('does the main job', async () => {
    const [, , sink] = servers;
    const { body } = await posthorn.post('/api/v1/emails', { to: 'ada@elsewhere.test', subject: 'Grüße', body: '<p>Hi</p>' });
    await sink.waitFor(1);
    expect(sink.messages[0]).toMatchObject({ to: 'ada@elsewhere.test', faults: [], messageId: `${body.id}@example.test` });
    await eventually(async () => (await posthorn.get(`/api/v1/emails/${body.id}`)).body.status === 'DELIVERED', 'DELIVERED');
  });

  it('passes 12 MiB in and 4 MiB pages out through a stock nats-server', async () => {
    const text = 'Ä'.repeat(6 * 1024 * 1024);
    const { status, body } = await posthorn.post('/api/v1/emails', { to: 'large@elsewhere.test', subject: 'Large', body: text });
    expect(status).toBe(202);
    await eventually(
      async () => (await posthorn.get(`/api/v1/emails/${body.id}`)).body.status === 'DELIVERED',
      'the large mail out',
      60_000,
    );
    // Eighty contacts of 64 KB are more than one page of 4 MiB may hold.
    const data = { note: 'x'.repeat(64_000) };
    for (let place = 0; place < 80; place += 1)
      await posthorn.post('/api/v1/contacts', { email: `c${place}@large.test`, custom_fields: data });
    const page = await posthorn.get('/api/v1/contacts?limit=100&search=large.test');
    expect(page.status).toBe(200);
    expect(page.text.length).toBeGreaterThan(3 * 1024 * 1024);
    expect(page.body.has_more).toBe(true);
    const rest = await posthorn.get(`/api/v1/contacts?limit=100&search=large.test&after=${page.body.next_cursor}`);
    expect(page.body.data.length + rest.body.data.length).toBe(80);
  });

  it('denies each service every other database', async () => {
    const [postgres] = servers;
    const roles = ['gateway', 'sending', 'contacts', 'analytics'];
    for (const role of roles) {
      for (const other of roles) {
        const url = new URL(postgres.url);
        Object.assign(url, { username: `posthorn_${role}`, pathname: `/posthorn_${other}` });
        const client = new pg.Client({ connectionString: url.toString() });
        const denied = await client.connect().then(
          () => client.end().then(() => false),
          (error: { code?: string }) => error.code === '42501',
        );
        expect({ role, other, denied }).toEqual({ role, other, denied: role !== other });
      }
    }
  });
});
