import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { emailEvents } from '@posthorn/contracts';
import { BusConnection } from '@posthorn/messaging';
import { eventually, SmtpSink, startTestNats, type TestNats } from '@posthorn/testing';
import { jetstream } from '@nats-io/jetstream';
import { makeDataDirectory, RunningPosthorn, type Answer } from '../testing/running-posthorn.js';

const subject = 'Seven secret herons';
const recipients = ['ok', 'rcpt-550-5.1.1', 'dot-451', 'drop-before-dot', 'data-554', 'hang-after-dot'].map(
  (name) => `${name}+heron@sink.test`,
);
const forged = 'sk_live_abcdefghijklmnopqrstuvwxyz0123456789ABCDEF';

interface Line {
  level: number;
  service: string;
  context?: string;
  msg: string;
  request_id?: string;
  trace_id?: string;
}

describe('log lines while mail succeeds and fails', () => {
  const directory = makeDataDirectory();
  let sink: SmtpSink;
  let nats: TestNats;
  let posthorn: RunningPosthorn;
  let refused: Answer;
  let lines: Line[];

  beforeAll(async () => {
    // A server without users, because the operator may publish no events.
    [sink, nats] = await Promise.all([SmtpSink.start(), startTestNats()]);
    posthorn = await RunningPosthorn.start(directory.path, {
      SMTP_URL: sink.url,
      NATS_URL: nats.url,
      SMTP_DOT_TIMEOUT: '1',
      SENDING_RATE_PER_SECOND: '0',
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'json',
    });
    for (const to of recipients) await send(to);
    refused = await posthorn.post('/api/v1/emails', {
      to: 'ada@sink.test',
      subject,
      body: 'x',
      from: 'heron@nobody.test',
    });
    await posthorn.post('/api/v1/emails', { to: 'not heron@an address', subject, body: 'x' });
    await posthorn.get('/api/v1/contacts?search=heron@sink.test&limit=x');
    await posthorn.get('/api/v1/contacts', { authorization: `Bearer ${forged}` });
    await posthorn.get(`/api/v1/emails/heron@sink.test`);
    await tellNonsense();
    await eventually(async () => attemptedAll(), 'every message was tried');
    await eventually(
      async () => linesOf(posthorn.output).some(({ msg }) => msg.includes('attempt 1')),
      'a subscriber refused an event',
    );
    await posthorn.stop();
    lines = linesOf(posthorn.output);
  });
  afterAll(async () => {
    await posthorn.stop();
    await Promise.all([sink.stop(), nats.stop()]);
    directory.remove();
  });

  const send = (to: string) => posthorn.post('/api/v1/emails', { to, subject, body: `<p>${subject}</p>` });

  async function attemptedAll(): Promise<boolean> {
    const { body } = await posthorn.get('/api/v1/emails?limit=50');
    const events = await Promise.all(
      body.data.map(({ id }: { id: string }) => posthorn.get(`/api/v1/emails/${id}`)),
    );
    return (
      events.length === recipients.length && events.every((email) => (email as Answer).body.events.length > 1)
    );
  }

  /** An event that its subscriber cannot process: Postgres refuses the address and quotes it. */
  async function tellNonsense(): Promise<void> {
    const connection = await BusConnection.open({ url: posthorn.servers.natsUrl, name: 'nonsense' });
    const item = {
      emailId: crypto.randomUUID(),
      to: 'heron@sink.test',
      from: 'a@b.test',
      contactId: null,
      at: 'heron@sink.test',
      sourceType: 'CAMPAIGN',
    };
    const event = {
      id: '019b0000-0000-7000-8000-00000000beef',
      name: emailEvents.accepted.name,
      version: 1,
      projectId: posthorn.dev.projectId,
      at: new Date(),
      items: [item],
    };
    await jetstream(connection.nats).publish(`events.${emailEvents.accepted.name}`, JSON.stringify(event));
    await connection.close();
  }

  it('are one JSON object per line with the service name', () => {
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines)
      expect(line).toMatchObject({
        service: expect.any(String),
        msg: expect.any(String),
        level: expect.any(Number),
      });
  });

  it('have the request and the trace of everything that a request caused', () => {
    const edge = lines.filter(({ context }) => context === 'Edge');
    expect(edge.length).toBeGreaterThanOrEqual(5);
    for (const line of edge)
      expect(line).toMatchObject({
        request_id: expect.any(String),
        trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      });
    expect(edge.map(({ request_id }) => request_id)).toContain(refused.body.request_id);
  });

  it.each(['gateway', 'sending', 'contacts', 'analytics'])(
    'have traces of %s beside them',
    async (service) => {
      expect(
        await posthorn.traces.find((published) => published.includes(`"posthorn-${service}"`)),
      ).not.toBeNull();
    },
  );

  it('have traces beside them without personal data either', async () => {
    expect(await posthorn.traces.find((published) => /heron|@sink/i.test(published))).toBeNull();
  });

  it('contain no address, subject, content or key', () => {
    const published = lines.map((line) => JSON.stringify(line)).join('\n');
    for (const secret of [
      'heron',
      'Heron',
      'ada@',
      subject,
      forged,
      posthorn.dev.secretKey,
      '@sink.test',
      '@example.test',
    ])
      expect(published).not.toContain(secret);
  });
});

/** Lines of the services; the start also prints messages. */
/** `npm run start:services` prefixes every line with its process. */
function linesOf(output: string): Line[] {
  return output
    .split('\n')
    .map((line) => line.replace(/^[\w.-]+ \| /, ''))
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line);
}
