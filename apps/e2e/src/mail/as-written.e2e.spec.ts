import { describe, expect, it } from '@jest/globals';
import { eventually } from '@posthorn/testing';
import { withPosthorn } from '../testing/bad-input.js';
import { inboxMessages, rawMessage } from '../testing/inbox.js';

const suite = withPosthorn();
const calendar = Buffer.from(
  'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n',
).toString('base64');
const type = 'text/calendar; charset=utf-8; method=REQUEST';

const unfolded = (raw: string): string => raw.replace(/\r\n[ \t]/g, ' ').replace(/=\r\n/g, '');

/** The message with this subject as the inbox received it, header lines unfolded. */
const arrived = (subject: string): Promise<string> =>
  eventually(async () => {
    const found = (await inboxMessages(suite.posthorn)).find((message) => message.subject === subject);
    return found ? unfolded(await rawMessage(suite.posthorn, found.id)) : null;
  }, `the message ${subject}`);

const message = (subject: string, more: object = {}) => ({
  to: 'ada@example.com',
  subject,
  body: '<p>x</p>',
  ...more,
});
const post = async (path: string, body: object): Promise<number> =>
  (await suite.posthorn.post(path, body)).status;
/** That surface is described nowhere. */
const postByDialect = async (body: object): Promise<number> => {
  const { baseUrl, secretKey } = suite.posthorn.dev;
  const headers = { 'content-type': 'application/json', 'x-postmark-server-token': secretKey };
  const request = { method: 'POST', headers, body: JSON.stringify(body) };
  return (await fetch(`${baseUrl}/api/compat/postmark/email`, request)).status;
};

describe('a calendar invite', () => {
  const file = { filename: 'invite.ics', content: calendar };
  const snake = { attachments: [{ ...file, content_type: type }] };
  const camel = { attachments: [{ ...file, contentType: type }] };
  const postmark = (subject: string) => ({
    From: 'hello@example.test',
    To: 'ada@example.com',
    Subject: subject,
    HtmlBody: '<p>x</p>',
    Attachments: [{ Name: 'invite.ics', Content: calendar, ContentType: `${type}; name=an invite.ics` }],
  });

  it.each<[string, string, (subject: string) => object]>([
    ['v1', '/api/v1/emails', (subject) => message(subject, snake)],
    ['legacy', '/api/emails', (subject) => message(subject, camel)],
    ['a batch', '/api/v1/emails/batch', (subject) => ({ emails: [message(subject, snake)] })],
    ['the compatibility dialect', '', postmark],
  ])('keeps its method on %s', async (name, path, bodyOf) => {
    const subject = `Invite by ${name}`;
    const body = bodyOf(subject);
    expect(await (path === '' ? postByDialect(body) : post(path, body))).toBeLessThan(300);
    expect(await arrived(subject)).toContain(
      'Content-Type: text/calendar; method=REQUEST; charset=utf-8; name="invite.ics"',
    );
  });
});

describe('what a message says', () => {
  it('arrives: standard headers, a message as a file, a sender by variables, one line of subject', async () => {
    const body = message('Hi {{ n }}!', {
      from: { email: 'hello@example.test', name: '{{ rep }} at Acme' },
      body: '{{ s | escape }} {{ "2026-06-30T21:00:00Z" | date: "%H:%M", tz }}',
      data: { n: 'Eve\n', rep: 'Ada', s: 'Tom & Jerry', tz: 'Berlin' },
      headers: {
        'Auto-Submitted': 'auto-generated',
        Precedence: 'bulk',
        'List-Id': '<n.example.test>',
        Importance: 'high',
      },
      attachments: [
        {
          filename: 'a.eml',
          content: Buffer.from('Subject: x\n\n7bit').toString('base64'),
          content_type: 'message/rfc822',
        },
      ],
    });
    const sent = await suite.posthorn.post('/api/v1/emails', body);
    expect(sent.status).toBe(202);
    const raw = await arrived('Hi Eve !');
    for (const part of [
      'From: Ada at Acme <hello@example.test>',
      'Auto-Submitted: auto-generated',
      'Precedence: bulk',
      'List-Id: <n.example.test>',
      'Importance: high',
      'Content-Type: message/rfc822; name="a.eml"',
      'Content-Transfer-Encoding: 7bit',
      'Subject: x\r\n\r\n7bit',
      'Tom &amp; Jerry 21:00',
    ])
      expect(raw).toContain(part);
  });

  it.each([
    [{ headers: { 'Content-Type': 'text/plain' } }, '/headers'],
    [{ headers: { 'list-unsubscribe': '<mailto:a@example.test>' } }, '/headers'],
    [{ headers: { Sender: 'a@example.test' } }, '/headers'],
    [
      { attachments: [{ filename: 'a', content: calendar, content_type: 'multipart/mixed; boundary=a' }] },
      '/attachments/0/content_type',
    ],
    [{ from: { email: 'hello@example.test', name: '{{ open' } }, '/from'],
  ])('is refused where it cannot stand: %j', async (more, pointer) => {
    const answer = await suite.posthorn.post('/api/v1/emails', message('never', more));
    expect([answer.status, answer.body.errors[0].pointer.slice(0, pointer.length)]).toEqual([422, pointer]);
  });
});

describe('a template with a sender by variables and an unknown time zone', () => {
  it('is previewed with a finding, and its name is rendered', async () => {
    const { body: created } = await suite.posthorn.post('/api/v1/templates', {
      name: 'By variables',
      subject: 'From a template',
      from: 'hello@example.test',
      from_name: '{{ rep }} at Acme',
      body: '<p>{{ "2026-06-30T21:00:00Z" | date: "%H", tz }}</p>',
      email_category: 'TRANSACTIONAL',
    });
    const preview = await suite.posthorn.post(`/api/v1/templates/${created.id}/preview`, {
      data: { tz: 'Berlin' },
    });
    expect(preview.body).toMatchObject({
      html: '<p>21</p>',
      missing: ['rep'],
      findings: [{ rule: 'unknown_time_zone', message: expect.stringContaining('Berlin') }],
    });
    expect(
      await post('/api/v1/emails', { to: 'ada@example.com', template: created.id, data: { rep: 'Zoe' } }),
    ).toBe(202);
    expect(await arrived('From a template')).toContain('From: Zoe at Acme <hello@example.test>');
  });
});

describe('a mail of text alone', () => {
  it.each<[string, string, (mail: object) => object]>([
    ['v1', '/api/v1/emails', (mail) => mail],
    ['legacy', '/api/emails', (mail) => mail],
    ['a batch', '/api/emails/batch', (mail) => ({ emails: [mail] })],
  ])('is accepted on %s, rendered, and has no HTML part', async (name, path, bodyOf) => {
    const subject = `Text by ${name}`;
    const mail = { to: 'ada@example.com', subject, text: 'Hi {{ n | escape }}', data: { n: 'Tom & Jerry' } };
    expect(await post(path, bodyOf(mail))).toBeLessThan(300);
    const raw = await arrived(subject);
    expect(raw).toContain('Content-Type: text/plain; charset=utf-8');
    expect(raw).not.toContain('text/html');
    expect(raw).toContain('Hi Tom & Jerry');
  });

  it('is refused where there is no content at all', async () => {
    const answer = await suite.posthorn.post('/api/v1/emails', { to: 'ada@example.com', subject: 'x' });
    expect([answer.status, answer.body.errors]).toMatchObject([
      422,
      [{ pointer: '/body', code: 'required' }],
    ]);
  });
});

describe('an address with characters that nobody sees', () => {
  /** The description of the API has no word for them. */
  const asked = async (path: string, body: object) => {
    const { baseUrl, secretKey } = suite.posthorn.dev;
    const headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' };
    const request = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(`${baseUrl}/api/v1/${path}`, request);
    const { to, email, id } = (await answer.json()) as { to?: string; email?: string; id: string };
    return { status: answer.status, address: to ?? email, id };
  };

  it.each<[string, (email: string) => object, number]>([
    ['emails', (email) => message('Unseen', { to: email }), 202],
    ['contacts', (email) => ({ email }), 201],
    ['suppressions', (email) => ({ email }), 201],
  ])('is the visible address, or is refused: %s', async (path, bodyOf, status) => {
    const visible = `${path}@example.com`;
    expect(await asked(path, bodyOf(`\u200b${visible}\ufeff`))).toMatchObject({ status, address: visible });
    expect((await asked(path, bodyOf(`a\u200b${visible}`))).status).toBe(422);
  });

  it('does not pass the suppression of the visible one', async () => {
    const { id } = await asked('emails', message('Suppressed', { to: '\u200bsuppressions@example.com' }));
    await eventually(async () => {
      const { body } = await suite.posthorn.get(`/api/v1/emails/${id}`);
      return body.status === 'FAILED' && body.failure_kind === 'suppressed';
    }, 'it fails');
  });
});
