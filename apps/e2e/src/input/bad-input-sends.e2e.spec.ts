import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  expectNothingStored,
  expectRefusal,
  pointerOn,
  prefixes,
  surfaces,
  withPosthorn,
  type Surface,
} from '../testing/bad-input.js';

const suite = withPosthorn();
const mail = { to: 'ada@example.com', subject: 'Hello', body: '<p>Hi</p>' };
const long = (length: number) => 'x'.repeat(length);
const entries = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, 'v']));

interface Row {
  change: object;
  /** Pointers on v1 with their codes; on the legacy surface the same ones unless `legacy` differs. */
  errors: [pointer: string, code: string][];
  legacy?: [field: string, code: string][];
  only?: Surface;
}

const recipient = (change: unknown): Row => ({
  change: { to: change },
  errors: [['/to', 'invalid_format']],
  legacy: [['to.0', 'invalid_format']],
});
const unknown = (name: string, value: unknown): [string, Row] => [
  `${name}, which nobody knows`,
  { change: { [name]: value }, errors: [[`/${name}`, 'unknown_field']] },
];
const header = (name: string, code = 'invalid_format'): [string, Row] => [
  `the header ${JSON.stringify(name).slice(0, 40)}`,
  { change: { headers: { [name]: 'value' } }, errors: [[`/headers/${name}`, code]] },
];

/** Only for v1, where the legacy surface differs. */
const file = (change: Record<string, string>): [string, Row] => {
  const [[name, value]] = Object.entries(change) as [[string, string]];
  const code = /\p{Cc}/u.test(value) ? 'invalid_text' : 'invalid_format';
  return [
    `a file of the ${name} ${JSON.stringify(value)}`,
    {
      change: { attachments: [{ filename: 'a.txt', content: 'SGVsbG8=', ...change }] },
      errors: [[`/attachments/0/${name}`, code]],
      only: name.includes('_') ? 'v1' : undefined,
    },
  ];
};
const crowd = Array.from({ length: 10_001 }, (_, index) => `r${index}@example.com`);

const rows: [string, Row][] = [
  ...(
    [
      ['CR/LF in the address', 'ada@example.com\r\nBcc: eve@example.com'],
      ['CR/LF after the address', 'ada@example.com\r\n'],
      ['CR/LF before the address', '\nada@example.com'],
      ['CR/LF after a named address', 'Ada <ada@example.com>\n'],
      ['CR/LF in the address of an object', { email: 'ada@example.com\r\n' }],
      ['CR/LF in the name', { email: 'ada@example.com', name: 'Ada\r\nBcc: eve@example.com' }],
      ['CR/LF after the name', { email: 'ada@example.com', name: 'Ada\r\n' }],
      ['a comma list', 'ada@example.com, bob@example.com'],
      ['a semicolon list', 'ada@example.com; bob@example.com'],
      ['a named comma list', 'Ada <ada@example.com>, Bob <bob@example.com>'],
      ['a group', 'team: ada@example.com, bob@example.com;'],
      ['a list inside an object', { email: 'ada@example.com, bob@example.com' }],
      ['a second address inside an object', { email: 'ada@example.com', cc: 'bob@example.com' }],
      ['an address of 6 KB', `${long(6_000)}@example.com`],
      ['an IP literal', 'ada@[127.0.0.1]'],
      ['a quoted local part', '"ada bob"@example.com'],
      ['a number', 7],
      ['an empty string', ''],
    ] as const
  ).map(([name, to]): [string, Row] => [`${name} as recipient`, recipient(to)]),
  ['two recipients in an array', { change: { to: ['ada@example.com', 'bob@example.com'] }, errors: [['/to', 'invalid_format']], only: 'v1' }],
  ['one recipient in an array', { change: { to: ['ada@example.com'] }, errors: [['/to', 'invalid_format']], only: 'v1' }],
  ['two recipients as objects', { change: { to: [{ email: 'ada@example.com' }, { email: 'bob@example.com' }] }, errors: [['/to', 'invalid_format']], only: 'v1' }],
  ['51 recipients', { change: { to: Array.from({ length: 51 }, (_, index) => `r${index}@example.com`) }, errors: [['/to', 'too_long']], only: 'legacy' }],
  ['no recipient', { change: { to: [] }, errors: [['/to', 'too_short']], only: 'legacy' }],
  ['one bad recipient of three', { change: { to: ['ada@example.com', 'bob@', 'eve@example.com'] }, errors: [['/to/1', 'invalid_format']], only: 'legacy' }],
  ['no members at all', { change: { to: undefined, subject: undefined, body: undefined }, errors: [['/to', 'required'], ['/subject', 'required'], ['/body', 'required']] }],
  ['CR/LF in the subject', { change: { subject: 'Hi\r\nBcc: eve@example.com' }, errors: [['/subject', 'invalid_text']] }],
  ['LF at the end of the subject', { change: { subject: 'Hi\n' }, errors: [['/subject', 'invalid_text']] }],
  ['a subject of 0 characters', { change: { subject: '' }, errors: [['/subject', 'too_short']] }],
  ['a subject of 999 characters', { change: { subject: long(999) }, errors: [['/subject', 'too_long']] }],
  ['a subject that is an object', { change: { subject: { toString: 'x' } }, errors: [['/subject', 'invalid_type']] }],
  ['an empty body', { change: { body: '' }, errors: [['/body', 'too_short']] }],
  ['a null body', { change: { body: null }, errors: [['/body', 'invalid_type']] }],
  ['CR/LF in the sender', { change: { from: 'hello@example.test\r\nX: y' }, errors: [['/from', 'invalid_format']] }],
  ['CR/LF in the name of the sender', { change: { from: { email: 'hello@example.test', name: 'A\nB' } }, errors: [['/from', 'invalid_format']] }],
  ['two senders', { change: { from: 'hello@example.test, ada@example.test' }, errors: [['/from', 'invalid_format']] }],
  ['CR/LF in the reply address of v1', { change: { reply_to: 'ada@example.com\r\nX: y' }, errors: [['/reply_to', 'invalid_format']], only: 'v1' }],
  ['CR/LF in the reply address of legacy', { change: { replyTo: 'ada@example.com\r\nX: y' }, errors: [['/replyTo', 'invalid_format']], only: 'legacy' }],
  ['two reply addresses by two names', { change: { reply: 'ada@example.com', replyTo: 'bob@example.com' }, errors: [['/replyTo', 'not_allowed']], only: 'legacy' }],
  ...['From', 'Bcc', 'Cc', 'To', 'Sender', 'Subject', 'Date', 'Return-Path', 'Message-ID', 'MIME-Version', 'Content-Type', 'Content-Transfer-Encoding',
    'DKIM-Signature', 'List-Unsubscribe', 'List-Unsubscribe-Post', 'Feedback-ID', 'Received', 'X A', 'X-A:', ' X-A', 'X-Ä', '', '__proto__'].map((name) => header(name)), // prettier-ignore
  header('X-A\r\nBcc', 'invalid_text'),
  header(`X-${long(254)}`, 'too_long'),
  ...['X-SMTPAPI', 'x-msys-api', 'X-MC-BccAddress', 'X-SES-SOURCE-ARN'].map((name) => header(name, 'not_allowed')),
  ['CR/LF in a header value', { change: { headers: { 'X-A': 'a\r\nBcc: eve@example.com' } }, errors: [['/headers/X-A', 'invalid_text']] }],
  ['a header value of 999 characters', { change: { headers: { 'X-A': long(999) } }, errors: [['/headers/X-A', 'too_long']] }],
  ['a header value that is a list', { change: { headers: { 'X-A': ['a', 'b'] } }, errors: [['/headers/X-A', 'invalid_type']] }],
  ['headers in a list', { change: { headers: ['X-A: b'] }, errors: [['/headers', 'invalid_type']] }],
  ['11 tags', { change: { tags: Array.from({ length: 11 }, () => 'a') }, errors: [['/tags', 'too_long']] }],
  ['an empty tag', { change: { tags: [''] }, errors: [['/tags/0', 'invalid_format']] }],
  ['a tag of 65 characters', { change: { tags: ['good', long(65)] }, errors: [['/tags/1', 'invalid_format']] }],
  ['a tag with a line end', { change: { tags: ['good\n'] }, errors: [['/tags/0', 'invalid_format']] }],
  ['a tag with a space', { change: { tags: ['a b'] }, errors: [['/tags/0', 'invalid_format']] }],
  ['a string of tags', { change: { tags: 'a' }, errors: [['/tags', 'invalid_type']] }],
  ['21 entries of metadata', { change: { metadata: entries(21) }, errors: [['/metadata', 'too_long']] }],
  ['metadata of 501 characters', { change: { metadata: { a: long(501) } }, errors: [['/metadata/a', 'too_long']] }],
  ['metadata that is a number', { change: { metadata: { a: 1 } }, errors: [['/metadata/a', 'invalid_type']] }],
  ['a template that is not an id', { change: { template: 't' }, errors: [['/template', 'invalid_format']] }],
  ['attachments that are not a list', { change: { attachments: 'x' }, errors: [['/attachments', 'invalid_type']] }],
  ['an attachment without content', { change: { attachments: [{ filename: 'a.txt' }] }, errors: [['/attachments/0/content', 'required']] }],
  ...['a.txt\r\nX: y', 'a\u0000.txt', '\u200fgnp.exe', '../a.txt', ''].map((filename) => file({ filename })),
  file({ content_type: 'text/plain\r\nX: y' }),
  file({ content_type: 'text/plain; name="a\r\nX: y"' }),
  file({ content_id: 'logo>\r\nX: y' }),
  ['CR/LF in the name of a copy', { change: { cc: [{ email: 'bob@example.com', name: 'Bob\r\nX: y' }] }, errors: [['/cc/0', 'invalid_format']] }],
  ['CR/LF in a blind copy', { change: { bcc: ['bob@example.com\r\nX: y'] }, errors: [['/bcc/0', 'invalid_format']] }],
  ['10 001 recipients', { change: { to: crowd }, errors: [['/to', 'too_long']], only: 'legacy' }],
  ['10 001 copies', { change: { cc: crowd }, errors: [['/cc', 'too_long']] }],
  ['10 001 blind copies', { change: { bcc: crowd }, errors: [['/bcc', 'too_long']] }],
  ['26 recipients and 25 copies', { change: { to: crowd.slice(0, 26), cc: crowd.slice(26, 51) }, errors: [['/cc', 'too_long']], only: 'legacy' }],
  ['a recipient and 50 blind copies', { change: { bcc: crowd.slice(0, 50) }, errors: [['/bcc', 'too_long']] }],
  ['far ahead on v1', { change: { scheduled_at: '2099-12-01T00:00:00Z' }, errors: [['/scheduled_at', 'out_of_range']], only: 'v1' }],
  ['far ahead on legacy', { change: { scheduledAt: '2099-12-01T00:00:00Z' }, errors: [['/scheduledAt', 'out_of_range']], only: 'legacy' }],
  ['an invalid Cc address', { change: { cc: ['bob@'] }, errors: [['/cc/0', 'invalid_format']] }],
  ['an invalid Bcc address', { change: { bcc: ['ada@example.com', 'bob@'] }, errors: [['/bcc/1', 'invalid_format']] }],
  ['data in a list', { change: { data: [1] }, errors: [['/data', 'invalid_type']] }],
  ['a time without an offset', { change: { scheduled_at: '2026-12-01T00:00:00' }, errors: [['/scheduled_at', 'invalid_format']], only: 'v1' }],
  ['tomorrow', { change: { scheduledAt: 'tomorrow' }, errors: [['/scheduledAt', 'invalid_format']], only: 'legacy' }],
  ['the name of the other surface', { change: { scheduledAt: '2026-12-01T00:00:00Z' }, errors: [['/scheduledAt', 'unknown_field']], only: 'v1' }],
  ...Object.entries({ constructor: 1, toString: 1, TO: 1 }).map(([name, value]) => unknown(name, value)), // prettier-ignore
  ['names that need escapes in a pointer', { change: { 'a/b~c': 1 }, errors: [['/a~1b~0c', 'unknown_field']], legacy: [['a/b~c', 'unknown_field']] }],
  ['several failures at once', { change: { to: 'x', subject: '', tags: ['a b'], cc: ['bob@'], x: 1 }, errors: [['/x', 'unknown_field'], ['/to', 'invalid_format'], ['/subject', 'too_short'], ['/cc/0', 'invalid_format'], ['/tags/0', 'invalid_format']],
    legacy: [['x', 'unknown_field'], ['to.0', 'invalid_format'], ['subject', 'too_short'], ['cc.0', 'invalid_format'], ['tags.0', 'invalid_format']] }],
]; // prettier-ignore

describe.each(surfaces)('a send on %s, refused with nothing stored', (surface) => {
  afterEach(() => expectNothingStored(suite.posthorn));
  const path = `${prefixes[surface]}/emails`;

  it.each(rows.filter(([, { only }]) => only === undefined || only === surface))(
    'for %s',
    async (_, { change, errors, legacy }) => {
      const answer = await suite.posthorn.post(path, { ...mail, ...change });
      const here = errors.map(([pointer, code]) => [pointerOn(surface, pointer), code] as const);
      expectRefusal(answer, surface, path, { status: 422, errors: (surface === 'legacy' && legacy) || here });
    },
  );
});

describe.each(surfaces)('a send with a misspelt member on %s', (surface) => {
  it('names the member that was meant, and what is missing now, in one answer', async () => {
    const { status, body } = await suite.posthorn.post(`${prefixes[surface]}/emails`, {
      to: mail.to,
      sugject: mail.subject,
      body: mail.body,
    });
    const failures = surface === 'v1' ? body.errors : body.error.details.errors;
    const place = (name: string) => (surface === 'v1' ? { pointer: `/${name}` } : { field: name });
    expect(status).toBe(422);
    expect(failures).toEqual([
      {
        ...place('sugject'),
        code: 'unknown_field',
        message: 'is not a known field; did you mean `subject`?',
      },
      { ...place('subject'), code: 'required', message: 'is required unless a template provides it' },
    ]);
  });

  it('without subject and body is told both', async () => {
    const answer = await suite.posthorn.post(`${prefixes[surface]}/emails`, { to: mail.to });
    const errors = ['subject', 'body'].map((name) => [pointerOn(surface, `/${name}`), 'required'] as const);
    expectRefusal(answer, surface, `${prefixes[surface]}/emails`, { status: 422, errors });
  });
});

describe('a send', () => {
  it('stored nothing, even a moment later', async () => {
    await delay(1_500);
    await expectNothingStored(suite.posthorn);
  });

  it.each(surfaces)(
    'from an unverified domain is refused on %s, and no e-mail or contact is created',
    async (surface) => {
      const path = `${prefixes[surface]}/emails`;
      for (const from of [
        'ada@elsewhere.test',
        'ada@example.test.elsewhere.test',
        { email: 'ada@example.com' },
      ]) {
        const errors = [[pointerOn(surface, '/from'), 'not_verified']] as const;
        expectRefusal(await suite.posthorn.post(path, { ...mail, from }), surface, path, {
          status: 422,
          errors,
        });
      }
      expect((await suite.posthorn.get('/api/v1/emails')).body.data).toEqual([]);
      expect((await suite.posthorn.get('/api/v1/contacts')).body.data).toEqual([]);
    },
  );

  it.each(surfaces)('at every limit is accepted on %s, and needs no sender', async (surface) => {
    const path = `${prefixes[surface]}/emails`;
    const headers = { 'X-A': long(998), references: '<a@b.example>', 'In-Reply-To': '<a@b.example>' };
    const content = {
      subject: long(998),
      tags: Array.from({ length: 10 }, () => long(64)),
      metadata: { ...entries(19), long: long(500) },
    };
    const to =
      surface === 'v1'
        ? `${long(64)}@example.com`
        : Array.from({ length: 50 }, (_, index) => `limit-${index}@example.com`);
    const answer = await suite.posthorn.post(path, { ...mail, ...content, headers, to });
    expect(answer.status).toBe(surface === 'v1' ? 202 : 200);
    if (surface === 'v1') expect(answer.body.from).toBe('hello@example.test');
    else expect(answer.body.data.emails).toHaveLength(50);
  });
});
