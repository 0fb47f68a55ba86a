import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { providerEvents, type ProviderEvent } from '@posthorn/contracts';
import { newId } from '@posthorn/database';
import { buildReturnPath } from '@posthorn/mail';
import { signedSnsMessage, snsCertificate, snsTopic, standIn, testSecret } from '@posthorn/testing';
import { startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';

const directory = mkdtempSync(join(tmpdir(), 'posthorn-sns-'));
const certificateFile = join(directory, 'sns.pem');
const sendgrid = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const mailgunKey = 'the signing key of mailgun';

let suite: GatewaySuite;
let recorded: ProviderEvent[] = [];
let leave: () => Promise<void>;

beforeAll(async () => {
  writeFileSync(certificateFile, snsCertificate);
  suite = await startGatewaySuite({
    SES_TOPIC_ARNS: `arn:aws:sns:eu-west-1:123456789012:another, ${snsTopic}`,
    SNS_CERTIFICATE_FILE: certificateFile,
    POSTMARK_HOOK_SECRET: 'of postmark',
    SENDGRID_HOOK_KEY: sendgrid.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
    MAILGUN_HOOK_KEY: mailgunKey,
    BREVO_HOOK_SECRET: 'of brevo',
  });
});
beforeEach(async () => {
  recorded = [];
  leave = await standIn(suite.connection, providerEvents.record, async ({ items }) => {
    recorded.push(...items);
    return { recorded: items.length };
  });
});
afterEach(() => leave());
afterAll(async () => {
  await suite.stop();
  rmSync(directory, { recursive: true });
});

const emailId = newId();
const returnPath = buildReturnPath(
  { emailId, position: 1 },
  { domain: 'mail.shop.example', secret: testSecret },
);
const messageId = `<${emailId}@shop.example>`;

const mail = {
  timestamp: '2026-11-02T10:00:00.000Z',
  messageId: '0100017f-provider',
  source: returnPath,
  destination: ['ada@example.org'],
  headersTruncated: false,
  headers: [{ name: 'Message-ID', value: messageId }],
  commonHeaders: { from: ['hello@shop.example'], to: ['ada@example.org'], subject: 'Your order' },
  tags: { 'ses:configuration-set': ['posthorn'] },
};
const postSns = (message: object) =>
  suite.request('POST', '/hooks/ses', {
    body: JSON.stringify(message),
    headers: { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': 'Notification' },
  });
const postSes = (event: object, changes: Record<string, string> = {}, forged: Record<string, string> = {}) =>
  postSns(signedSnsMessage({ Message: JSON.stringify({ mail, ...event }), ...changes }, forged));

describe('/hooks/ses', () => {
  it.each([
    [
      {
        eventType: 'Bounce',
        bounce: {
          bounceType: 'Permanent',
          bounceSubType: 'General',
          bouncedRecipients: [
            {
              emailAddress: 'ada@example.org',
              action: 'failed',
              status: '5.1.1',
              diagnosticCode: 'smtp; 550 5.1.1 user unknown',
            },
          ],
          timestamp: '2026-11-02T10:00:02.000Z',
          feedbackId: '0100017f-feedback',
          reportingMTA: 'dsn; a8-50.smtp-out.amazonses.com',
        },
      },
      { kind: 'BOUNCED', statusCode: '5.1.1', replyCode: 550, detail: 'smtp; 550 5.1.1 user unknown' },
    ],
    [
      {
        notificationType: 'Bounce',
        bounce: {
          bounceType: 'Permanent',
          bounceSubType: 'OnAccountSuppressionList',
          bouncedRecipients: [{ emailAddress: 'ada@example.org' }],
        },
      },
      { kind: 'BOUNCED', statusCode: '5.1.1' },
    ],
    [
      {
        eventType: 'Bounce',
        bounce: {
          bounceType: 'Transient',
          bounceSubType: 'MailboxFull',
          bouncedRecipients: [{ emailAddress: 'ada@example.org', status: '4.2.2' }],
        },
      },
      { kind: 'SOFT_BOUNCED', statusCode: '4.2.2' },
    ],
    [
      {
        eventType: 'Complaint',
        complaint: {
          complainedRecipients: [{ emailAddress: 'ada@example.org' }],
          complaintFeedbackType: 'abuse',
          timestamp: '2026-11-02T11:00:00.000Z',
        },
      },
      { kind: 'COMPLAINED', detail: 'abuse', at: new Date('2026-11-02T11:00:00Z') },
    ],
    [
      {
        eventType: 'Delivery',
        delivery: {
          recipients: ['ada@example.org'],
          smtpResponse: '250 2.6.0 accepted',
          timestamp: '2026-11-02T10:00:03.000Z',
          reportingMTA: 'a8-50.smtp-out.amazonses.com',
        },
      },
      { kind: 'DELIVERED', detail: '250 2.6.0 accepted', host: 'a8-50.smtp-out.amazonses.com' },
    ],
    [
      {
        eventType: 'DeliveryDelay',
        deliveryDelay: {
          delayType: 'TransientCommunicationFailure',
          delayedRecipients: [
            {
              emailAddress: 'ada@example.org',
              status: '4.4.1',
              diagnosticCode: 'smtp; 421 4.4.1 Unable to connect',
            },
          ],
        },
      },
      { kind: 'DELAYED', statusCode: '4.4.1', replyCode: 421 },
    ],
    [
      { eventType: 'Reject', reject: { reason: 'Bad content' } },
      { kind: 'REJECTED', detail: 'Bad content' },
    ],
    [{ eventType: 'Send', send: {} }, { kind: 'SENT' }],
    [
      { eventType: 'Rendering Failure', failure: { errorMessage: 'Attribute missing', templateName: 't' } },
      { kind: 'REJECTED', detail: 'Attribute missing' },
    ],
    [{ eventType: 'Open', open: { userAgent: 'Mozilla/5.0', ipAddress: '203.0.113.9' } }, { kind: 'OPENED' }],
    [
      { eventType: 'Click', click: { link: 'https://shop.example/', userAgent: 'Mozilla/5.0' } },
      { kind: 'CLICKED', url: 'https://shop.example/' },
    ],
  ])('takes %j', async (event, expected) => {
    const { status } = await postSes(event);
    expect(status).toBe(200);
    expect(recorded).toMatchObject([
      { source: 'ses', emailId, position: 1, providerMessageId: mail.messageId, ...expected },
    ]);
  });

  it('finds the e-mail by its Message-ID where the return path is of somebody else', async () => {
    await postSes({ eventType: 'Send', mail: { ...mail, source: 'hello@shop.example' } });
    expect(recorded).toMatchObject([{ emailId }]);
    expect(recorded[0]!.position).toBeUndefined();
  });

  it('ignores events of other software on the same account, and what readers take back', async () => {
    const foreign = { ...mail, source: 'a@b.example', headers: [{ name: 'Message-ID', value: '<x@y>' }] };
    for (const event of [
      { eventType: 'Send', mail: foreign },
      {
        eventType: 'Complaint',
        complaint: { complaintFeedbackType: 'not-spam', complainedRecipients: [{}] },
      },
      { eventType: 'Subscription' },
    ])
      expect((await postSes(event)).status).toBe(200);
    expect(recorded).toEqual([]);
  });

  it('accepts both versions of the signature, and the greeting of SES', async () => {
    expect((await postSes({ eventType: 'Send' }, { SignatureVersion: '1' })).status).toBe(200);
    const greeting = { Message: 'Successfully validated SNS topic for Amazon SES event publishing.' };
    expect((await postSns(signedSnsMessage(greeting))).status).toBe(200);
    expect(recorded).toHaveLength(1);
  });

  it.each([
    ['of another topic', { TopicArn: 'arn:aws:sns:eu-west-1:123456789012:foreign' }, {}],
    ['with a changed message', {}, { Message: '{}' }],
    [
      'with a certificate of somebody else',
      {},
      {
        SigningCertURL: 'https://evil.example/SimpleNotificationService-9c6465fa7f48f5cacd23014631ec1136.pem',
      },
    ],
    [
      'with a certificate that only looks like one of SNS',
      {},
      {
        SigningCertURL:
          'https://sns.eu-west-1.amazonaws.com.evil.example/SimpleNotificationService-9c6465fa7f48f5cacd23014631ec1136.pem',
      },
    ],
    [
      'with a certificate of another region',
      {},
      {
        SigningCertURL:
          'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-9c6465fa7f48f5cacd23014631ec1136.pem',
      },
    ],
    ['with a signature version that does not exist', {}, { SignatureVersion: '3' }],
    ['from two hours ago', { Timestamp: new Date(Date.now() - 7_200_000).toISOString() }, {}],
    ['from tomorrow', { Timestamp: new Date(Date.now() + 26 * 3_600_000).toISOString() }, {}],
    ['without a time', { Timestamp: 'never' }, {}],
  ])('refuses a message %s', async (_, changes, forged) => {
    const { status } = await postSes(
      { eventType: 'Send' },
      changes as Record<string, string>,
      forged as Record<string, string>,
    );
    expect([status, recorded]).toEqual([403, []]);
  });

  it('refuses what is no message of SNS, and what is too large', async () => {
    const text = { 'content-type': 'text/plain; charset=UTF-8' };
    for (const [body, expected] of [
      ['', 422],
      ['{', 400],
      ['{"a":1,"a":2}', 400],
      ['[]', 422],
      ['null', 422],
      ['{"Type":"Notification"}', 422],
    ] as const)
      expect((await suite.request('POST', '/hooks/ses', { body, headers: text })).status).toBe(expected);
    const large = await suite.request('POST', '/hooks/ses', {
      body: JSON.stringify({ Type: 'Notification', Message: 'x'.repeat(10_000_000) }),
      headers: { 'content-type': 'text/plain; charset=UTF-8' },
    });
    expect([large.status, recorded]).toEqual([413, []]);
  });

  it('confirms no subscription of a topic whose link leads elsewhere', async () => {
    const confirmation = signedSnsMessage({
      Type: 'SubscriptionConfirmation',
      Token: 'token',
      SubscribeURL: 'https://evil.example/?Action=ConfirmSubscription',
    });
    expect((await postSns(confirmation)).status).toBe(503);
  });

  it('answers 5xx while nothing can be stored, so that SNS repeats', async () => {
    await leave();
    const { status, headers } = await postSes({ eventType: 'Send' });
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true]);
    leave = async () => undefined;
  });
});

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
    suite.request('POST', '/hooks/provider/postmark', { body, headers });

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
    [{ ...bounce, Type: 'SpamNotification' }, { kind: 'COMPLAINED' }],
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
    expect(recorded).toMatchObject([
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
    expect(recorded).toHaveLength(1);
  });

  it('ignores automatic replies and mail of others', async () => {
    for (const body of [
      { ...bounce, Type: 'AutoResponder' },
      { ...bounce, Metadata: {} },
      { RecordType: 'SubscriptionChange' },
    ])
      expect((await post(body)).status).toBe(200);
    expect(recorded).toEqual([]);
  });
});

describe('/hooks/provider/sendgrid', () => {
  const post = (
    body: object,
    { timestamp = String(Math.floor(Date.now() / 1_000)), key = sendgrid.privateKey } = {},
  ) => {
    const text = JSON.stringify(body);
    return suite.request('POST', '/hooks/provider/sendgrid', {
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
    expect(recorded.map(({ kind }) => kind)).toEqual(['SENT', 'DELAYED', 'DELIVERED', 'BOUNCED', 'SOFT_BOUNCED', 'REJECTED', 'COMPLAINED', 'CLICKED']); // prettier-ignore
    expect(recorded[3]).toMatchObject({
      ...{ source: 'sendgrid', eventId: 'sg-1', emailId, recipient: 'ada@example.org', statusCode: '5.1.1' },
      at: new Date(1_793_613_602_000),
    });
  });

  it('refuses a signature of another key, and an old one', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey;
    const old = String(Math.floor(Date.now() / 1_000) - 7_200);
    for (const options of [{ key: other }, { timestamp: old }, { timestamp: 'x' }])
      expect((await post([{ ...event, event: 'delivered' }], options)).status).toBe(403);
    expect((await suite.request('POST', '/hooks/provider/sendgrid', { body: [] })).status).toBe(403);
    expect(recorded).toEqual([]);
  });
});

describe('/hooks/provider/mailgun', () => {
  const post = (
    event: object,
    { key = mailgunKey, timestamp = String(Math.floor(Date.now() / 1_000)) } = {},
  ) => {
    const token = 'a'.repeat(50);
    const signature = createHmac('sha256', key)
      .update(timestamp + token)
      .digest('hex');
    return suite.request('POST', '/hooks/provider/mailgun', {
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
    expect(recorded).toMatchObject([
      { source: 'mailgun', eventId: 'mg-1', emailId, recipient: 'ada@example.org', ...expected },
    ]);
  });

  it('refuses a signature of another key, and an old one', async () => {
    const old = String(Math.floor(Date.now() / 1_000) - 10 * 3_600);
    for (const options of [{ key: 'other' }, { timestamp: old }])
      expect((await post({ ...event, event: 'delivered' }, options)).status).toBe(403);
    expect((await suite.request('POST', '/hooks/provider/mailgun', { body: {} })).status).toBe(403);
    expect(recorded).toEqual([]);
  });
});

describe('/hooks/provider/brevo', () => {
  const post = (body: object, token = 'of brevo') =>
    suite.request('POST', '/hooks/provider/brevo', { body, headers: { authorization: `Bearer ${token}` } });
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
    expect(recorded.map(({ kind, statusCode }) => [kind, statusCode])).toEqual([
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
    expect(recorded).toEqual([]);
  });
});

describe('a hook that the operator has not set up', () => {
  it.each(['/hooks/provider/unknown', '/hooks/provider/ses/x', '/hooks'])(
    'is not found at %s',
    async (path) => {
      expect((await suite.request('POST', path, { body: {} })).status).toBe(404);
    },
  );
});
