import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually, SmtpSink } from '@posthorn/testing';
import pg from 'pg';
import { operatorOf } from '../testing/bad-input.js';
import { makeDataDirectory, RunningPosthorn } from '../testing/running-posthorn.js';

describe('a start after a long outage', () => {
  const directory = makeDataDirectory();
  const operator = operatorOf(directory.path);
  let sink: SmtpSink;
  let posthorn: RunningPosthorn | undefined;

  afterAll(async () => {
    await posthorn?.stop();
    await sink.stop();
    directory.remove();
  });

  const start = async (more: Record<string, string> = {}) => {
    await posthorn?.stop();
    posthorn = await RunningPosthorn.start(directory.path, { SMTP_URL: sink.url, ...more });
  };
  const send = (to: string) =>
    posthorn!.post('/api/v1/emails', { to, subject: 'Hello', body: '<p>Hello</p>' });
  const arrived = (to: string) => sink.messages.some((message) => message.to === to);
  const health = async () => (await posthorn!.get('/healthz')).body;

  it('holds what was queued, says so, and sends it once the operator releases it', async () => {
    sink = await SmtpSink.start();
    // Its renewals are too rare to say that the database is in use.
    await start({ DELIVERY_PAUSED: 'true', LEASE_SECONDS: '600' });
    expect((await send('overdue@sink.test')).status).toBe(202);
    await makeOld(posthorn!.servers.databaseUrls);
    await start();
    expect((await send('new@sink.test')).status).toBe(202);
    await eventually(async () => arrived('new@sink.test'), 'new mail leaves');
    const healthy = await eventually(async () => {
      const said = await health();
      return said.status === 'ok' && said.notes && said;
    }, 'the health check has a note');
    expect(healthy.notes).toEqual([
      expect.stringMatching(/^1 overdue messages are held: .*posthorn deliveries held/),
    ]);
    expect(posthorn!.output).toMatch(/1 overdue messages are held because nothing was sent for 7 hours/);
    expect(arrived('overdue@sink.test')).toBe(false);
    expect(await operator('deliveries', 'held')).toMatchObject({ count: 1 });
    expect(await operator('deliveries', 'release')).toEqual({ released: 1, left: 0 });
    await eventually(async () => arrived('overdue@sink.test'), 'released mail leaves');
    expect(await health()).not.toHaveProperty('notes');
  });
});

/** The state that seven hours without a running product leave behind. */
async function makeOld(databaseUrls: string[]): Promise<void> {
  const url = new URL('/posthorn_sending', databaseUrls[0]);
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`UPDATE deliveries SET due_at = now() - interval '7 hours'`);
  await client.query(
    `INSERT INTO installation (database_identity, alive_at)
     SELECT (SELECT system_identifier FROM pg_control_system()) || '/' || oid, now() - interval '7 hours'
     FROM pg_database WHERE datname = current_database()
     ON CONFLICT (singleton) DO UPDATE SET alive_at = excluded.alive_at`,
  );
  await client.end();
}
