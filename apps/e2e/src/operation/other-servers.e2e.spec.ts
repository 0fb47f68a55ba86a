import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { outcomeUnknown } from '@posthorn/contracts';
import { startableServices } from '@posthorn/dev';
import { SmtpSink, startTestNats, type TestNats, eventually } from '@posthorn/testing';
import pg from 'pg';
import { OwnDatabases } from '../testing/own-databases.js';
import { makeDataDirectory, mode, RunningPosthorn } from '../testing/running-posthorn.js';

describe('with external servers', () => {
  const directory = makeDataDirectory();
  let databases: OwnDatabases;
  let nats: TestNats;
  let sink: SmtpSink;
  let posthorn: RunningPosthorn;

  beforeAll(async () => {
    [databases, nats, sink] = await Promise.all([OwnDatabases.start(), startTestNats(), SmtpSink.start()]);
    posthorn = await RunningPosthorn.start(directory.path, {
      ...databases.environment,
      NATS_URL: nats.url,
      SMTP_URL: sink.url,
    });
  });
  afterAll(async () => {
    await posthorn.stop();
    await Promise.all([databases.remove(), nats.stop(), sink.stop()]);
    directory.remove();
  });

  it('does the main job', async () => {
    const { body } = await posthorn.post('/api/v1/emails', {
      to: 'ada@elsewhere.test',
      subject: 'Grüße',
      body: '<p>Hi</p>',
    });
    await sink.waitFor(1);
    expect(sink.messages[0]).toMatchObject({
      to: 'ada@elsewhere.test',
      faults: [],
      messageId: `${body.id}@example.test`,
    });
    await eventually(
      async () => (await posthorn.get(`/api/v1/emails/${body.id}`)).body.status === 'DELIVERED',
      'DELIVERED',
    );
  });

  it('passes 12 MiB requests and 4 MiB pages through a stock nats-server', async () => {
    const text = 'Ä'.repeat(6 * 1024 * 1024);
    // A busy machine may exceed the time of a request: 503 means that nothing was stored, 500 that it is
    // unknown, and a client repeats with its key.
    const large = { to: 'large@elsewhere.test', subject: 'Large', body: text };
    const { body } = await eventually(
      async () => {
        const answer = await posthorn.post('/api/v1/emails', large, {
          'idempotency-key': 'the-large-mail-of-the-suite',
        });
        const unknown = answer.body.detail === outcomeUnknown().message;
        expect(unknown ? [500] : [202, 503]).toContain(answer.status);
        return answer.status === 202 && answer;
      },
      'the large mail is accepted',
      120_000,
    );
    await eventually(
      async () => {
        const { status, failure_kind: failure } = (await posthorn.get(`/api/v1/emails/${body.id}`)).body;
        expect([status, failure]).not.toContain('FAILED');
        return status === 'DELIVERED';
      },
      'the large mail is delivered',
      120_000,
    );
    // Eighty contacts of 64 KB exceed a page of 4 MiB.
    const data = { note: 'x'.repeat(64_000) };
    for (let index = 0; index < 80; index += 1)
      await posthorn.post('/api/v1/contacts', { email: `c${index}@large.test`, custom_fields: data });
    const page = await posthorn.get('/api/v1/contacts?limit=100&search=large.test');
    expect(page.status).toBe(200);
    expect(page.text.length).toBeGreaterThan(3 * 1024 * 1024);
    expect(page.body.has_more).toBe(true);
    const rest = await posthorn.get(
      `/api/v1/contacts?limit=100&search=large.test&after=${page.body.next_cursor}`,
    );
    expect(page.body.data.length + rest.body.data.length).toBe(80);
  });

  it('denies each service the databases of the others', async () => {
    const services = startableServices();
    for (const service of services) {
      for (const other of services) {
        const url = new URL(databases.adminUrlOf(other));
        Object.assign(url, { username: `posthorn_${service}`, pathname: `/posthorn_${other}` });
        const client = new pg.Client({ connectionString: url.toString() });
        const denied = await client.connect().then(
          () => client.end().then(() => null),
          (error: { code?: string }) => error.code,
        );
        // There is no right to connect; on another server not even the role exists.
        const expected = service === other ? null : mode === 'separate' ? '28000' : '42501';
        expect({ service, other, denied }).toEqual({ service, other, denied: expected });
      }
    }
  });
});
