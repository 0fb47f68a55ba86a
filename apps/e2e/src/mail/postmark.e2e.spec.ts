import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { ServerClient } from 'postmark';
import { inboxMessages, rawMessage } from '../testing/inbox.js';
import { makeDataDirectory, RunningPosthorn } from '../testing/running-posthorn.js';

const directory = makeDataDirectory();
const from = 'Shop <hello@example.test>';

let posthorn: RunningPosthorn;
let client: ServerClient;
beforeAll(async () => {
  posthorn = await RunningPosthorn.start(directory.path);
  const { host } = new URL(posthorn.dev.baseUrl);
  client = new ServerClient(posthorn.dev.secretKey, {
    requestHost: `${host}/api/compat/postmark`,
    useHttps: false,
  });
});
afterAll(async () => {
  await posthorn.stop();
  directory.remove();
});

/** Messages with this subject, one per recipient, as received by the inbox. */
const arrived = (subject: string, copies: number) =>
  eventually(async () => {
    const found = (await inboxMessages(posthorn)).filter((message) => message.subject === subject);
    if (found.length < copies) return null;
    return Promise.all(
      found.map(async ({ id, envelope }) => ({ to: envelope.to[0]!, raw: await rawMessage(posthorn, id) })),
    );
  }, `${copies} copies of ${subject}`);

describe('the official client, unmodified', () => {
  it('sends one message to several recipients with Cc, Bcc and a file, without rendering it', async () => {
    const answer = await client.sendEmail({
      From: from,
      To: 'Ada <ada@example.com>, grace@example.com',
      Cc: 'copy@example.com',
      Bcc: 'blind@example.com',
      Subject: 'As it stands',
      HtmlBody: '<p>{{ as it stands }}</p>',
      TextBody: '{{ as it stands }}',
      Headers: [{ Name: 'X-Order', Value: '17' }],
      Attachments: [{ Name: 'hello.txt', Content: 'SGVsbG8=', ContentType: 'text/plain', ContentID: null }],
      Tag: 'welcome mail',
    });
    expect(answer).toMatchObject({
      ErrorCode: 0,
      Message: 'OK',
      To: 'Ada <ada@example.com>, grace@example.com',
    });
    const copies = await arrived('As it stands', 4);
    expect(copies.map(({ to }) => to).sort()).toEqual([
      'ada@example.com',
      'blind@example.com',
      'copy@example.com',
      'grace@example.com',
    ]);
    for (const { raw } of copies) {
      expect(raw).toMatch(/^To: Ada <ada@example\.com>,\s+grace@example\.com$/m);
      expect(raw).toMatch(/^Cc: copy@example\.com$/m);
      expect(raw).toMatch(/^X-Order: 17$/m);
      expect(raw).toContain('{{ as it stands }}');
      expect(raw).toContain('SGVsbG8=');
      expect(raw).not.toContain('blind@example.com');
    }
    const { body } = await posthorn.get(`/api/v1/emails/${answer.MessageID}`);
    expect(body).toMatchObject({ to: 'ada@example.com', from: 'hello@example.test', tags: ['welcome-mail'] });
  });

  it('sends a batch with one invalid message', async () => {
    const message = { From: from, Subject: 'In a batch', TextBody: 'Hello' };
    const answers = await client.sendEmailBatch([
      { ...message, To: 'one@example.com' },
      { ...message, To: 'nobody' },
      { ...message, To: 'two@example.com', From: 'hello@not-verified.example' },
      { ...message, To: 'three@example.com' },
    ]);
    expect(answers.map(({ ErrorCode }) => ErrorCode)).toEqual([0, 300, 400, 0]);
    expect((await arrived('In a batch', 2)).map(({ to }) => to).sort()).toEqual([
      'one@example.com',
      'three@example.com',
    ]);
  });

  it('receives errors', async () => {
    const message = { From: from, To: 'ada@example.com', Subject: 'Wrong', TextBody: 'Hello' };
    const codeOf = (sent: Promise<unknown>) => sent.then(() => 0).catch(({ code }: { code: number }) => code);
    const wrongKey = new ServerClient('wrong', { ...client.getClientOptions() });
    const half = { Name: 'a.txt', Content: 'SGVsb', ContentType: 'text/plain', ContentID: null };
    expect(await codeOf(wrongKey.sendEmail(message))).toBe(10);
    expect(await codeOf(client.sendEmail({ ...message, From: 'hello@not-verified.example' }))).toBe(400);
    expect(await codeOf(client.sendEmail({ ...message, Attachments: [half] }))).toBe(300);
    const control = { Name: 'X-Mailgun-Recipient-Variables', Value: '{}' };
    expect(await codeOf(client.sendEmail({ ...message, Headers: [control] }))).toBe(300);
    expect(
      await codeOf(
        client.sendEmailWithTemplate({ From: from, To: 'ada@example.com', TemplateId: 1, TemplateModel: {} }),
      ),
    ).toBe(1101);
  });
});
