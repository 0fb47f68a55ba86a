import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { chooseQuietPort } from '@posthorn/dev';
import { eventually, signedSnsMessage, snsCertificate, snsTopic } from '@posthorn/testing';
import { prefixes, surfaces, withPosthorn, type Surface } from '../testing/bad-input.js';
import { inboxMessages } from '../testing/inbox.js';

const directory = mkdtempSync(join(tmpdir(), 'posthorn-sns-'));
const certificateFile = join(directory, 'sns.pem');
writeFileSync(certificateFile, snsCertificate);
afterAll(() => rmSync(directory, { recursive: true }));
const inboundPort = await chooseQuietPort();

const suite = withPosthorn({
  SES_TOPIC_ARNS: snsTopic,
  SNS_CERTIFICATE_FILE: certificateFile,
  BREVO_HOOK_SECRET: 'of-brevo',
  INBOUND_PORT: String(inboundPort),
});

const mail = (to: string) => ({ to, subject: 'Your order', body: '<p>Thank you.</p>' });
/** The names of both surfaces, without underscores and upper case. */
const plain = (name: string): string => name.replaceAll('_', '').toLowerCase();
type Found = Record<string, unknown> & {
  events: { status: string; source: string | null; kind: string | null }[];
};

async function send(to: string): Promise<string> {
  const { status, body } = await suite.posthorn.post('/api/v1/emails', mail(to));
  expect(status).toBe(202);
  return body.id as string;
}

async function read(surface: Surface, path: string): Promise<Found> {
  const { body } = await suite.posthorn.get(`${prefixes[surface]}${path}`);
  const found = (surface === 'v1' ? body : body.data) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(found).map(([name, value]) => [plain(name), value])) as Found;
}

const reaches = (id: string, isReached: (email: Found) => boolean, what: string): Promise<Found> =>
  eventually(async () => {
    const email = await read('v1', `/emails/${id}`);
    return isReached(email) && email;
  }, what);

const suppressionOf = async (address: string): Promise<string | null> =>
  (await suite.posthorn.get(`/api/v1/suppressions/${encodeURIComponent(address)}`)).body.reason ?? null;

describe('the simulator', () => {
  it.each([
    ['success', 'DELIVERED', ['DELIVERED'], null],
    ['bounce', 'BOUNCED', ['BOUNCED'], 'HARD_BOUNCE'],
    ['softbounce', 'FAILED', ['SOFT_BOUNCED'], null],
    ['complaint', 'DELIVERED', ['COMPLAINED', 'DELIVERED'], 'COMPLAINT'],
    ['delay', 'DELIVERY_DELAY', ['DELAYED'], null],
    ['reject', 'REJECTED', ['REJECTED'], null],
  ])(
    '%s@ reports like a provider, and only with a tag suppresses the address',
    async (name, status, kinds, reason) => {
      const before = (await inboxMessages(suite.posthorn)).length;
      const [plainAddress, tagged] = [
        `${name}@simulator.posthorn.test`,
        `${name}+17@simulator.posthorn.test`,
      ];
      for (const address of [plainAddress, tagged]) {
        const id = await send(address);
        const email = await reaches(
          id,
          (found) =>
            found['status'] === status && found.events.filter(({ kind }) => kind).length === kinds.length,
          `${address} is ${status}`,
        );
        expect(email.events.flatMap(({ kind }) => kind ?? []).sort()).toEqual(kinds);
        for (const surface of surfaces)
          // Last, unless the report was quicker than the outcome of the hand-over.
          expect((await read(surface, `/emails/${id}`)).events).toContainEqual(
            expect.objectContaining({ source: 'simulator' }),
          );
      }
      expect(await suppressionOf(plainAddress)).toBeNull();
      await eventually(
        async () => (await suppressionOf(tagged)) === reason,
        `${tagged} is suppressed as ${reason}`,
      );
      // Nothing has left the machine.
      expect(await inboxMessages(suite.posthorn)).toHaveLength(before);
    },
  );
});

describe('a report of Amazon SES', () => {
  const post = (message: object) =>
    fetch(`${suite.posthorn.dev.baseUrl}/hooks/ses`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain; charset=UTF-8' },
      body: JSON.stringify(message),
    });

  it('makes a delivered message bounced, once, and is refused when it is forged', async () => {
    const to = `ada-${Date.now()}@example.org`;
    const id = await send(to);
    await reaches(id, ({ status }) => status === 'DELIVERED', 'it is delivered');
    const Message = JSON.stringify({
      eventType: 'Bounce',
      mail: {
        messageId: 'ses-1',
        source: 'x@y.example',
        headers: [{ name: 'Message-ID', value: `<${id}@example.test>` }],
      },
      bounce: {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        bouncedRecipients: [
          { emailAddress: to, status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1 user unknown' },
        ],
      },
    });
    expect(
      (await post(signedSnsMessage({ Message }, { Message: Message.replace('5.1.1', '5.1.2') }))).status,
    ).toBe(403);
    for (let repeated = 0; repeated < 2; repeated += 1)
      expect((await post(signedSnsMessage({ Message }))).status).toBe(200);
    const email = await read('legacy', `/emails/${id}`);
    expect([email['status'], email['failurekind'], email.events.filter(({ kind }) => kind)]).toMatchObject([
      'BOUNCED',
      'hard_bounce',
      [{ kind: 'BOUNCED', source: 'ses' }],
    ]);
    expect(await suppressionOf(to)).toBe('HARD_BOUNCE');
  });
});

describe('a report of another provider', () => {
  it('is accepted at its hook with the secret', async () => {
    const id = await send(`bob-${Date.now()}@example.org`);
    await reaches(id, ({ status }) => status === 'DELIVERED', 'it is delivered');
    const post = (token: string) =>
      fetch(`${suite.posthorn.dev.baseUrl}/hooks/provider/brevo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({
          event: 'spam',
          'message-id': `<${id}@example.test>`,
          ts_event: 1_793_613_602,
          id: 1,
        }),
      });
    expect([(await post('wrong')).status, (await post('of-brevo')).status]).toEqual([403, 200]);
    const email = await read('v1', `/emails/${id}`);
    expect([email['status'], email['complainedat']]).toEqual(['DELIVERED', expect.any(String)]);
  });
});

describe('a bounce by mail', () => {
  const report =
    'From: MAILER-DAEMON@mx.example\r\nSubject: Undelivered Mail\r\n\r\n550 5.1.1 The user is unknown\r\n.\r\n';

  async function bounceTo(returnPath: string): Promise<string> {
    const socket = connect(inboundPort, '127.0.0.1');
    const words = ['EHLO mx.example', 'MAIL FROM:<>', `RCPT TO:<${returnPath}>`, 'DATA', report, 'QUIT'];
    let text = '';
    for await (const data of socket) {
      text += String(data);
      const word = /\d{3} [^\n]*\n$/.test(text) ? words.shift() : undefined;
      if (word !== undefined) socket.write(word === report ? word : `${word}\r\n`);
    }
    return text;
  }

  it('to the return path of the message is told in both dialects', async () => {
    const to = `eve-${Date.now()}@example.org`;
    const id = await send(to);
    const arrived = await eventually(
      async () => (await inboxMessages(suite.posthorn)).find(({ envelope }) => envelope.to.includes(to)),
      'the message arrives',
    );
    await reaches(id, ({ status }) => status === 'DELIVERED', 'it is delivered');
    expect(await bounceTo(arrived.envelope.from)).toMatch(/^250 2\.6\.0/m);
    for (const surface of surfaces) {
      const explained = await read(surface, `/emails/${id}/explain`);
      expect(explained).toMatchObject({
        status: 'BOUNCED',
        summary: expect.stringMatching(/^It bounced: .*550 5\.1\.1 The user is unknown\.$/),
        waitsfor: null,
      });
    }
    expect(await bounceTo('bounces+0.0@example.test')).toMatch(/^550 /m);
  });
});

describe('an explanation', () => {
  it('of an address and of a send is given in both dialects, and nothing is sent', async () => {
    await suite.posthorn.post('/api/v1/suppressions', { email: 'blocked@example.org' });
    for (const surface of surfaces) {
      expect(await read(surface, '/recipients/blocked@example.org/explain')).toMatchObject({
        suppressionreason: 'MANUAL',
        summary: expect.stringMatching(/^No mail is sent to this address\./),
      });
      const { status, body } = await suite.posthorn.post(
        `${prefixes[surface]}/emails/explain`,
        mail('blocked@example.org'),
      );
      expect(status).toBe(200);
      expect(surface === 'v1' ? body : body.data).toMatchObject({
        accepted: true,
        summary:
          'The request would be accepted as transactional mail. It would be sent to 0 of 1 recipients.',
      });
      const refused = await suite.posthorn.post(`${prefixes[surface]}/emails/explain`, {
        ...mail('a@b.example'),
        from: 'me@elsewhere.example',
      });
      expect(refused.status).toBe(422);
    }
    const { body } = await suite.posthorn.get('/api/v1/emails?to=blocked@example.org');
    expect(body.data).toEqual([]);
  });
});

describe('an allowance', () => {
  afterAll(() => suite.operator('allowances', 'set', '--limit', 'MONTHLY', '--messages', 'none'));

  it('is shown on both surfaces, and mail over it waits as the project chooses', async () => {
    const v1 = await suite.posthorn.get('/api/v1/usage');
    expect(v1.body).toMatchObject({
      plan: 'SELF_HOSTED',
      when_exhausted: 'FAIL',
      monthly: { limit: null, categories: { transactional: { limit: null }, campaign: { emails_sent: 0 } } },
      daily: { limit: null, trust_tier: 'UNLIMITED' },
    });
    const sent = v1.body.monthly.emails_sent as number;
    await suite.operator('allowances', 'set', '--limit', 'MONTHLY', '--messages', String(sent));
    const failed = await send('over@example.org');
    await reaches(failed, ({ failurekind }) => failurekind === 'quota_exhausted', 'it is over the limit');
    const changed = await suite.posthorn.request('PATCH', '/api/usage', { whenExhausted: 'HOLD' });
    expect(changed.body.data).toMatchObject({
      whenExhausted: 'HOLD',
      monthly: { emailsSent: sent, limit: sent },
    });
    const held = await send('held@example.org');
    const email = await reaches(held, ({ failurekind }) => failurekind === 'quota_exhausted', 'it waits');
    expect(email).toMatchObject({ status: 'PENDING' });
    expect((await read('v1', `/emails/${held}/explain`))['waitsfor']).toMatch(
      /allowance of the next day or month/,
    );
    await suite.operator('allowances', 'set', '--limit', 'MONTHLY', '--messages', String(sent + 1));
    await reaches(held, ({ status }) => status === 'DELIVERED', 'it is sent once the limit is raised');
    const refused = await suite.posthorn.request('PATCH', '/api/v1/usage', { when_exhausted: 'WAIT' });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: '/when_exhausted' }] } });
  });
});
