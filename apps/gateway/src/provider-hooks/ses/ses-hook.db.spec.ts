import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@posthorn/database';
import { buildReturnPath } from '@posthorn/mail';
import { signedSnsMessage, testSecret } from '@posthorn/testing';
import type { GatewaySuite } from '../../testing/gateway-suite.js';
import { startHooksSuite, type HooksSuite } from '../../testing/hooks-suite.js';

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
  request('/hooks/ses', {
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
    expect(hooks.recorded).toMatchObject([
      { source: 'ses', emailId, position: 1, providerMessageId: mail.messageId, ...expected },
    ]);
  });

  it('finds the e-mail by its Message-ID where the return path is of somebody else', async () => {
    await postSes({ eventType: 'Send', mail: { ...mail, source: 'hello@shop.example' } });
    expect(hooks.recorded).toMatchObject([{ emailId }]);
    expect(hooks.recorded[0]!.position).toBeUndefined();
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
    expect(hooks.recorded).toEqual([]);
  });

  it('accepts both versions of the signature, and the greeting of SES', async () => {
    expect((await postSes({ eventType: 'Send' }, { SignatureVersion: '1' })).status).toBe(200);
    const greeting = { Message: 'Successfully validated SNS topic for Amazon SES event publishing.' };
    expect((await postSns(signedSnsMessage(greeting))).status).toBe(200);
    expect(hooks.recorded).toHaveLength(1);
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
    expect([status, hooks.recorded]).toEqual([403, []]);
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
      expect((await request('/hooks/ses', { body, headers: text })).status).toBe(expected);
    const large = await request('/hooks/ses', {
      body: JSON.stringify({ Type: 'Notification', Message: 'x'.repeat(10_000_000) }),
      headers: { 'content-type': 'text/plain; charset=UTF-8' },
    });
    expect([large.status, hooks.recorded]).toEqual([413, []]);
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
    await hooks.sendingGoes();
    const { status, headers } = await postSes({ eventType: 'Send' });
    expect([status, Number(headers.get('retry-after')) > 0]).toEqual([503, true]);
  });
});
