import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import type { GatewaySuite } from '../testing/gateway-suite.js';
import { startHooksSuite, type HooksSuite } from '../testing/hooks-suite.js';
import { HookSignatures } from './hook-signatures.repository.js';

let hooks: HooksSuite;
beforeAll(async () => {
  hooks = await startHooksSuite();
});
beforeEach(() => hooks.sendingComes());
afterEach(() => hooks.sendingGoes());
afterAll(() => hooks.stop());
const request = (path: string, options: Parameters<GatewaySuite['request']>[2]) =>
  hooks.gateway.request('POST', path, options);

const emailId = newId();
const messageId = `<${emailId}@shop.example>`;

describe('/hooks/provider/postmark', () => {
  const bounce = {
    RecordType: 'Bounce',
    ID: 4_323_372_036_854_775_807,
    Type: 'HardBounce',
    TypeCode: 1,
    MessageID: '883953f4-6105-42a2-a16a-77a8eac79483',
    Metadata: { 'posthorn-id': emailId },
    Email: 'ada@example.org',
    BouncedAt: '2026-11-02T10:00:02Z',
    Details: 'smtp;550 5.1.1 The email account that you tried to reach does not exist.',
    Description: 'The server was unable to deliver your message (ex: unknown user, mailbox not found).',
  };
  const post = (body: object, headers: Record<string, string> = { 'x-webhook-secret': 'of postmark' }) =>
    request('/hooks/provider/postmark', { body, headers });

  it.each([
    [bounce, { kind: 'BOUNCED', statusCode: '5.1.1', recipient: 'ada@example.org' }],
    [
      { ...bounce, Details: '' },
      { kind: 'BOUNCED', statusCode: '5.1.1' },
    ],
    [
      { ...bounce, Type: 'SoftBounce', Details: 'full' },
      { kind: 'SOFT_BOUNCED', detail: 'full' },
    ],
    [{ ...bounce, Type: 'SpamNotification' }, { kind: 'SOFT_BOUNCED' }],
    [
      {
        ...bounce,
        RecordType: 'Delivery',
        Recipient: 'ada@example.org',
        DeliveredAt: '2026-11-02T10:00:02Z',
        Details: 'Test delivery',
      },
      { kind: 'DELIVERED', at: new Date('2026-11-02T10:00:02Z') },
    ],
    [{ ...bounce, RecordType: 'SpamComplaint' }, { kind: 'COMPLAINED' }],
    [{ ...bounce, RecordType: 'Open', Recipient: 'ada@example.org', UserAgent: 'Mail' }, { kind: 'OPENED' }],
  ])('takes %j', async (body, expected) => {
    expect((await post(body)).status).toBe(200);
    expect(hooks.recorded).toMatchObject([
      { source: 'postmark', emailId, providerMessageId: bounce.MessageID, ...expected },
    ]);
  });

  it('accepts the secret as a password, and refuses another one', async () => {
    const basic = (password: string) => ({
      authorization: `Basic ${Buffer.from(`hook:${password}`).toString('base64')}`,
    });
    expect((await post(bounce, basic('of postmark'))).status).toBe(200);
    for (const headers of [
      basic('wrong'),
      { 'x-webhook-secret': 'of brevo' },
      { authorization: 'Bearer' },
      {},
    ] as Record<string, string>[])
      expect((await post(bounce, headers)).status).toBe(403);
    expect(hooks.recorded).toHaveLength(1);
  });

  it('ignores automatic replies and mail of others', async () => {
    for (const body of [
      { ...bounce, Type: 'AutoResponder' },
      { ...bounce, Metadata: {} },
      { RecordType: 'SubscriptionChange' },
    ])
      expect((await post(body)).status).toBe(200);
    expect(hooks.recorded).toEqual([]);
  });
});

describe('/hooks/provider/sendgrid', () => {
  const post = (
    body: object,
    { timestamp = String(Math.floor(Date.now() / 1_000)), key = hooks.sendgridKey } = {},
  ) => {
    const text = JSON.stringify(body);
    return request('/hooks/provider/sendgrid', {
      body: text,
      headers: {
        'content-type': 'application/json',
        'x-twilio-email-event-webhook-timestamp': timestamp,
        'x-twilio-email-event-webhook-signature': sign('sha256', Buffer.from(timestamp + text), key).toString(
          'base64',
        ),
      },
    });
  };
  const event = {
    email: 'ada@example.org',
    timestamp: 1_793_613_602,
    'smtp-id': messageId,
    sg_event_id: 'sg-1',
    sg_message_id: 'sg-message',
  };

  it('takes a batch of events', async () => {
    const { status } = await post([
      { ...event, event: 'processed' },
      { ...event, event: 'deferred', response: '451 4.7.1 Try later' },
      { ...event, event: 'delivered', response: '250 OK' },
      { ...event, event: 'bounce', type: 'bounce', reason: '550 5.1.1 unknown', status: '5.1.1' },
      { ...event, event: 'bounce', type: 'blocked', reason: '550 5.7.1 blocked' },
      { ...event, event: 'dropped', reason: 'Bounced Address' },
      { ...event, event: 'spamreport' },
      { ...event, event: 'click', url: 'https://shop.example/', useragent: 'Mozilla/5.0' },
      { ...event, event: 'group_unsubscribe' },
      { event: 'delivered' },
    ]);
    expect(status).toBe(200);
    expect(hooks.recorded.map(({ kind }) => kind)).toEqual(['SENT', 'DELAYED', 'DELIVERED', 'BOUNCED', 'SOFT_BOUNCED', 'REJECTED', 'COMPLAINED', 'CLICKED']); // prettier-ignore
    expect(hooks.recorded[3]).toMatchObject({
      source: 'sendgrid',
      eventId: 'sg-1',
      emailId,
      recipient: 'ada@example.org',
      statusCode: '5.1.1',
      at: new Date(1_793_613_602_000),
    });
  });

  it('refuses a signature of another key, and an old one', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
    const old = String(Math.floor(Date.now() / 1_000) - 16 * 60);
    for (const options of [{ key: other }, { timestamp: old }, { timestamp: 'x' }])
      expect((await post([{ ...event, event: 'delivered' }], options)).status).toBe(403);
    expect((await request('/hooks/provider/sendgrid', { body: [] })).status).toBe(403);
    expect(hooks.recorded).toEqual([]);
  });
});

describe('/hooks/provider/mailgun', () => {
  const post = (
    event: object,
    { key = hooks.mailgunKey, timestamp = String(Math.floor(Date.now() / 1_000)), token = newId() } = {},
  ) => {
    const signature = createHmac('sha256', key)
      .update(timestamp + token)
      .digest('hex');
    return request('/hooks/provider/mailgun', {
      body: { signature: { timestamp, token, signature }, 'event-data': event },
    });
  };
  const event = {
    id: 'mg-1',
    timestamp: 1_793_613_602.5,
    recipient: 'ada@example.org',
    message: { headers: { 'message-id': messageId.slice(1, -1) } },
  };

  it.each([
    [{ event: 'accepted' }, { kind: 'SENT' }],
    [
      { event: 'delivered', 'delivery-status': { code: 250, message: 'OK', 'mx-host': 'mx.example.org' } },
      { kind: 'DELIVERED', host: 'mx.example.org' },
    ],
    [
      { event: 'failed', severity: 'temporary', 'delivery-status': { code: 451, message: 'later' } },
      { kind: 'DELAYED', replyCode: 451 },
    ],
    [
      { event: 'failed', severity: 'permanent', 'delivery-status': { code: 550, message: '5.1.1 unknown' } },
      { kind: 'BOUNCED', statusCode: '5.1.1' },
    ],
    [
      {
        event: 'failed',
        severity: 'permanent',
        reason: 'suppress-bounce',
        'delivery-status': { code: 605, message: 'Not delivering to previously bounced address' },
      },
      { kind: 'REJECTED' },
    ],
    [{ event: 'complained' }, { kind: 'COMPLAINED' }],
    [{ event: 'opened', 'client-info': { 'user-agent': 'Mail' } }, { kind: 'OPENED' }],
  ])('takes %j', async (told, expected) => {
    expect((await post({ ...event, ...told })).status).toBe(200);
    expect(hooks.recorded).toMatchObject([
      { source: 'mailgun', eventId: 'mg-1', emailId, recipient: 'ada@example.org', ...expected },
    ]);
  });

  const ago = (minutes: number) => String(Math.floor(Date.now() / 1_000) - minutes * 60);

  it('takes one report with a signature, as often as Mailgun repeats it', async () => {
    const delivered = { ...event, event: 'delivered' };
    const signed = { token: newId(), timestamp: ago(14) };
    for (let times = 0; times < 3; times += 1) expect((await post(delivered, signed)).status).toBe(200);
    for (const other of [{ ...delivered, id: 'mg-2' }, { ...event, event: 'complained' }, {}])
      expect((await post(other, signed)).status).toBe(403);
    expect(hooks.recorded.map(({ kind }) => kind)).toEqual(['DELIVERED', 'DELIVERED', 'DELIVERED']);
  });

  it('takes one of many reports that come at once with one signature', async () => {
    const signed = { token: newId(), timestamp: ago(0) };
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        post({ ...event, id: `mg-${index}`, event: 'delivered' }, signed),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(hooks.recorded).toHaveLength(1);
  });

  it('takes a signature of 16 minutes only with a report that it knows', async () => {
    const delivered = { ...event, event: 'delivered' };
    const signed = { token: newId(), timestamp: ago(16) };
    expect((await post(delivered, signed)).status).toBe(403);
    await new HookSignatures(hooks.gateway.database).bind(
      signed.timestamp + signed.token,
      JSON.stringify(delivered),
    );
    expect((await post(delivered, signed)).status).toBe(200);
    expect((await post({ ...delivered, id: 'mg-2' }, signed)).status).toBe(403);
  });

  it('refuses a signature of another key, and an old one', async () => {
    for (const options of [{ key: 'other' }, { timestamp: ago(10 * 60) }])
      expect((await post({ ...event, event: 'delivered' }, options)).status).toBe(403);
    expect((await request('/hooks/provider/mailgun', { body: {} })).status).toBe(403);
    expect(hooks.recorded).toEqual([]);
  });
});

describe('/hooks/provider/brevo', () => {
  const post = (body: object, token = 'of brevo') =>
    request('/hooks/provider/brevo', { body, headers: { authorization: `Bearer ${token}` } });
  const event = { email: 'ada@example.org', id: 7, ts_event: 1_793_613_602, 'message-id': messageId };

  it('takes events with their reasons', async () => {
    for (const told of [
      { event: 'request' },
      { event: 'delivered' },
      { event: 'deferred', reason: '451 4.7.1 later' },
      { event: 'soft_bounce', reason: '452 4.2.2 full' },
      { event: 'hard_bounce', reason: '550 5.7.1 policy' },
      { event: 'invalid_email' },
      { event: 'blocked' },
      { event: 'spam' },
    ])
      expect((await post({ ...event, ...told })).status).toBe(200);
    expect(hooks.recorded.map(({ kind, statusCode }) => [kind, statusCode])).toEqual([
      ['SENT', undefined],
      ['DELIVERED', undefined],
      ['DELAYED', '4.7.1'],
      ['SOFT_BOUNCED', '4.2.2'],
      ['BOUNCED', '5.7.1'],
      ['BOUNCED', '5.1.1'],
      ['REJECTED', undefined],
      ['COMPLAINED', undefined],
    ]);
  });

  it('refuses another token', async () => {
    expect((await post({ ...event, event: 'delivered' }, 'wrong')).status).toBe(403);
    expect(hooks.recorded).toEqual([]);
  });
});

describe('a hook that the operator has not set up', () => {
  it.each(['/hooks/provider/unknown', '/hooks/provider/ses/x', '/hooks'])(
    'is not found at %s',
    async (path) => {
      expect((await request(path, { body: {} })).status).toBe(404);
    },
  );
});
