import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  emails,
  projects,
  recipients,
  senderNotVerified,
  type AcceptSend,
  type Caller,
} from '@posthorn/contracts';
import { standIn } from '@posthorn/testing';
import { ServerClient, type Errors } from 'postmark';
import { operatorOf, startGatewaySuite, type GatewaySuite } from '../testing/gateway-suite.js';

const at = new Date('2026-01-31T09:00:00Z');
const plain = {
  From: 'Shop <hello@shop.example>',
  To: 'ada@example.org',
  Subject: 'Hello',
  HtmlBody: '<p>Hi</p>',
};

let suite: GatewaySuite;
let taken: { send: AcceptSend; caller: Caller }[] = [];
let leave: (() => Promise<void>)[] = [];
let key: string;
let projectId: string;

/** A stand-in for sending: addresses `inactive…` are suppressed, senders `stranger…` are not verified. */
async function sendingComes(): Promise<void> {
  leave = await Promise.all([
    standIn(suite.connection, recipients.suppressed, async (requested) => ({
      emails: requested.emails.filter((email) => email.startsWith('inactive')),
    })),
    standIn(suite.connection, emails.accept, async (send, caller) => {
      if (send.from?.email.startsWith('stranger')) throw senderNotVerified();
      taken.push({ send, caller });
      if (send.recipients[0]!.to.email.startsWith('broken')) return { emails: [], acceptedAt: at };
      const [{ id, to }] = send.recipients as [AcceptSend['recipients'][number]];
      return { emails: [{ id, to: to.email, from: send.from!.email, contactId: null }], acceptedAt: at };
    }),
  ]);
}
const sendingLeaves = async () => {
  await Promise.all(leave.map((each) => each()));
  leave = [];
};

beforeAll(async () => {
  suite = await startGatewaySuite();
  await sendingComes();
  ({ projectId } = await suite.buildProject());
  key = (await suite.buildKey(projectId)).token;
});
beforeEach(() => {
  taken = [];
});
afterAll(async () => {
  await sendingLeaves();
  await suite.stop();
});

const clientOf = (token: string, gateway: { port: number } = suite.gateway) =>
  new ServerClient(token, { requestHost: `127.0.0.1:${gateway.port}/api/compat/postmark`, useHttps: false });
const refusalOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: Errors.HttpError) => ({
      name: error.name,
      code: error.code,
      statusCode: error.statusCode,
      message: error.message,
    }),
  );
const post = (path: string, body: unknown, headers: Record<string, string>) =>
  suite.request('POST', `/api/compat/postmark${path}`, { body, headers });

describe('the official client, unmodified', () => {
  it('sends one message', async () => {
    const answer = await clientOf(key).sendEmail({
      ...plain,
      To: 'Ada <ada@example.org>, grace@example.org',
      Cc: 'copy@example.org',
      Tag: 'a b',
    });
    const [{ send, caller }] = taken as [(typeof taken)[number]];
    const id = send.recipients[0]!.id;
    expect(answer).toEqual({
      To: 'Ada <ada@example.org>, grace@example.org',
      SubmittedAt: at.toISOString(),
      MessageID: id,
      ErrorCode: 0,
      Message: 'OK',
    });
    expect(send).toMatchObject({
      recipients: [{ to: { email: 'ada@example.org', name: 'Ada' } }],
      alsoTo: [{ email: 'grace@example.org' }],
      cc: [{ email: 'copy@example.org' }],
      tags: ['a-b'],
      verbatim: true,
    });
    expect(caller).toMatchObject({ projectId, actor: { kind: 'KEY' } });
  });

  it('answers each message of a batch by itself, also after an unexpected failure', async () => {
    const answers = await clientOf(key).sendEmailBatch([
      plain,
      { ...plain, To: 'broken@example.org' },
      { ...plain, To: 'grace@example.org' },
    ]);
    expect(answers.map(({ ErrorCode }) => ErrorCode === 0)).toEqual([true, false, true]);
  });

  it('sends a batch with results and errors in request order', async () => {
    const answers = await clientOf(key).sendEmailBatch([
      plain,
      { ...plain, To: 'nobody' },
      { ...plain, To: 'inactive@example.org' },
      { ...plain, From: 'stranger@example.org' },
      {
        ...plain,
        To: 'last@example.org',
        Attachments: [{ Name: 'a.txt', Content: 'SGVsbG8=', ContentType: 'text/plain', ContentID: null }],
      },
    ]);
    expect(answers.map(({ ErrorCode }) => ErrorCode)).toEqual([0, 300, 406, 400, 0]);
    expect([answers[0]!.To, answers[4]!.To]).toEqual(['ada@example.org', 'last@example.org']);
    expect(taken.map(({ send }) => send.recipients[0]!.to.email)).toEqual([
      'ada@example.org',
      'last@example.org',
    ]);
  });

  it('sends five hundred messages at once', async () => {
    const answers = await clientOf(key).sendEmailBatch(
      Array.from({ length: 500 }, (_, index) => ({ ...plain, To: `r${index}@example.org` })),
    );
    expect(answers.map(({ ErrorCode, To }) => [ErrorCode, To])).toEqual(
      answers.map((_, index) => [0, `r${index}@example.org`]),
    );
  });

  it('receives the proper code for every refusal', async () => {
    const client = clientOf(key);
    const text = await Promise.all([
      refusalOf(clientOf('sk_live_wrong').sendEmail(plain)),
      refusalOf(client.sendEmail({ ...plain, Subject: '' })),
      refusalOf(client.sendEmail({ ...plain, From: 'stranger@example.org' })),
      refusalOf(client.sendEmail({ ...plain, To: 'inactive@example.org', Bcc: 'inactive-2@example.org' })),
      refusalOf(
        client.sendEmailWithTemplate({ From: plain.From, To: plain.To, TemplateId: 1, TemplateModel: {} }),
      ),
      refusalOf(
        client.sendEmailBatchWithTemplates([
          { From: plain.From, To: plain.To, TemplateAlias: 'a', TemplateModel: {} },
        ]),
      ),
      refusalOf(client.sendEmailBatch(Array.from({ length: 501 }, () => plain))),
    ]);
    expect(text.map((each) => [each?.name, each?.statusCode, each?.code])).toEqual([
      ['InvalidAPIKeyError', 401, 10],
      ['InvalidEmailRequestError', 422, 300],
      ['ApiInputError', 422, 400],
      ['InactiveRecipientsError', 422, 406],
      ['ApiInputError', 422, 1101],
      ['ApiInputError', 422, 1101],
      ['ApiInputError', 422, 410],
    ]);
    const inactive = await client
      .sendEmail({ ...plain, To: 'inactive@example.org' })
      .catch((error: Errors.InactiveRecipientsError) => error);
    expect((inactive as Errors.InactiveRecipientsError).recipients).toEqual(['inactive@example.org']);
  });

  it('distinguishes other kinds of key, a disabled project and too many requests', async () => {
    const other = await suite.buildProject();
    const secret = (await suite.buildKey(other.projectId)).token;
    const narrow = (await suite.buildKey(other.projectId, { scopes: ['emails:read'] })).token;
    const open = (await suite.buildKey(other.projectId, { legacyGrantPreset: 'SENDING_ONLY' })).token;
    expect(await refusalOf(clientOf(open).sendEmail(plain))).toMatchObject({ statusCode: 401, code: 10 });
    expect(await refusalOf(clientOf(narrow).sendEmail(plain))).toMatchObject({ statusCode: 422, code: 405 });
    await suite.bus.call(projects.disable, operatorOf(other.projectId), {
      id: other.projectId,
      reason: 'MANUAL',
    });
    expect(await refusalOf(clientOf(secret).sendEmail(plain))).toMatchObject({ statusCode: 422, code: 405 });
    expect(taken).toEqual([]);
  });

  it('is told to retry while sending is unavailable', async () => {
    await sendingLeaves();
    try {
      expect(await refusalOf(clientOf(key).sendEmail(plain))).toMatchObject({ statusCode: 503, code: 100 });
      expect(await refusalOf(clientOf(key).sendEmailBatch([plain, plain]))).toMatchObject({
        statusCode: 503,
        code: 100,
      });
    } finally {
      await sendingComes();
    }
  });
});

describe('a request', () => {
  it('succeeds if only some recipients are inactive', async () => {
    const published = await post(
      '/email',
      { ...plain, Cc: 'inactive@example.org' },
      { 'x-postmark-server-token': key },
    );
    expect([published.status, taken.length]).toEqual([200, 1]);
  });

  it('sends to an active Cc if the To is inactive', async () => {
    await clientOf(key).sendEmail({
      ...plain,
      To: 'inactive@example.org',
      Cc: 'cc@example.org',
      Bcc: 'bcc@example.org',
    });
    expect(taken.map(({ send }) => send)).toMatchObject([
      {
        recipients: [{ to: { email: 'cc@example.org' } }],
        alsoTo: [{ email: 'inactive@example.org' }],
        bcc: [{ email: 'bcc@example.org' }],
      },
    ]);
    expect(taken[0]!.send).not.toHaveProperty('cc');
  });

  it('sends separate e-mails to the active Bcc recipients if all others are inactive', async () => {
    const Bcc = 'one@example.org, inactive-3@example.org, two@example.org, one@example.org';
    const answer = await clientOf(key).sendEmail({
      ...plain,
      To: 'inactive@example.org',
      Cc: 'inactive-2@example.org',
      Bcc,
    });
    const [{ send }] = taken as [(typeof taken)[number]];
    expect([answer.ErrorCode, answer.MessageID, taken.length]).toEqual([0, send.recipients[0]!.id, 1]);
    expect(send.recipients.map(({ to }) => to.email)).toEqual(['one@example.org', 'two@example.org']);
    for (const member of ['alsoTo', 'cc', 'bcc']) expect(send).not.toHaveProperty(member);
  });

  it('may send its key only in the header of the dialect', async () => {
    for (const headers of [
      {},
      { authorization: `Bearer ${key}` },
      { 'x-postmark-server-token': '' },
      { 'x-postmark-server-token': 'x' },
    ]) {
      const published = await post('/email', plain, headers as Record<string, string>);
      expect([published.status, published.json['ErrorCode']]).toEqual([401, 10]);
    }
    expect(taken).toEqual([]);
  });

  it.each([
    ['{', 402],
    ['', 300],
    ['[]', 300],
    ['"x"', 300],
    ['{"From":"\\u0000"}', 300],
    [`{"HtmlBody":"${'x'.repeat(15 * 1024 * 1024)}"}`, 300],
  ])('of %j is refused with %d', async (body, code) => {
    const published = await post('/email', body, { 'x-postmark-server-token': key });
    expect([published.status, published.json['ErrorCode']]).toEqual([422, code]);
  });

  it('for a batch must be a list', async () => {
    const published = await post('/email/batch', plain, { 'x-postmark-server-token': key });
    expect([published.status, published.json['ErrorCode']]).toEqual([422, 402]);
    expect((await post('/email/batch', [], { 'x-postmark-server-token': key })).text).toBe('[]');
  });
});
