import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { wireFaults } from '../../../testing/src/smtp-sink/smtp-sink.js';
import { MailSyntaxError } from './mail-syntax-error.js';
import { buildMessage, type OutgoingMessage } from './message.js';

const runs = 1_000;

const basic: OutgoingMessage = {
  messageId: '0190@mail.example',
  date: new Date('2026-11-21T08:00:00Z'),
  from: { email: 'shop@shop.example', name: 'Shop' },
  to: [{ email: 'jane@example.org', name: 'Jane Doe' }],
  subject: 'Your order',
  html: '<p>Hello</p>',
  boundarySeed: '0190',
};

const character = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }) },
  { weight: 3, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ' ',
      '  ',
      '\t',
      '"',
      '\\',
      ',',
      ';',
      '<',
      '>',
      '@',
      '(',
      ')',
      '=?',
      '?=',
      '=?UTF-8?Q?x?=',
      '.',
      ':',
      '=',
      '\u2028',
      '\u202e',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '👩‍👩‍👧‍👦',
      'é',
      'ß',
      '汉',
      '\u{10ffff}',
      '\u00a0',
      'word',
      'x'.repeat(80),
      '\x7f',
      '\x01',
    ),
  },
);
const text = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(character, { maxLength }).map((parts) => parts.join(''));
// The parser trims what it shows, and drops controls from names; both are its ways of showing, not the wire's.
const header = text(60).map((value) => value.replace(/[\r\n\0]/g, '').toWellFormed());
const body = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: character },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          '\n',
          '\r\n',
          '\r',
          '\n.\n',
          '\r\n.\r\n',
          '\n..',
          '\0',
          'From ',
          ' \n',
          'y'.repeat(2_000),
        ),
      },
    ),
    { maxLength: 120 },
  )
  .map((parts) => parts.join('').toWellFormed());
const label = fc.constantFrom('example.org', 'bücher.example', '例え.test', 'sub.domain.example');
const local = fc.constantFrom('a', 'first.last', 'x+tag', "o'neil", '"quoted local"', 'jörg', '用户');
const mailbox = fc.record(
  { email: fc.tuple(local, label).map(([l, d]) => `${l}@${d}`), name: fc.option(header, { nil: undefined }) },
  { requiredKeys: ['email'] },
);

const outgoing: fc.Arbitrary<OutgoingMessage> = fc.record({
  messageId: fc.uuid().map((id) => `${id}@mail.example`),
  date: fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
  from: mailbox,
  to: fc.array(mailbox, { minLength: 1, maxLength: 4 }),
  cc: fc.array(mailbox, { maxLength: 3 }),
  replyTo: fc.array(mailbox, { maxLength: 2 }),
  subject: header,
  html: body,
  text: body,
  headers: fc.constant([['X-Trace', 'a b']] as [string, string][]),
  boundarySeed: fc.string(),
});

const shown = (value: string | undefined): string => (value ?? '').replace(/\s+/g, ' ').trim();
const lines = (value: string | undefined): string =>
  (value ?? '').replace(/\r\n?/g, '\n').replace(/\n+$/, '');
const asciiDomain = (email: string): string =>
  email.replace('bücher', 'xn--bcher-kva').replace('例え', 'xn--r8jz45g');

describe('buildMessage', () => {
  it(`preserves subject, addresses, text and HTML of ${runs} hostile messages in valid form`, async () => {
    await fc.assert(
      fc.asyncProperty(outgoing, async (message) => {
        const { raw, utf8 } = buildMessage(message);
        expect(wireFaults(raw)).toEqual([]);
        expect(buildMessage(message).raw.equals(raw)).toBe(true);
        const bodyStart = raw.indexOf('\r\n\r\n');
        expect(raw.subarray(bodyStart).every((octet) => octet < 128)).toBe(true);
        expect(utf8).toBe(raw.subarray(0, bodyStart).some((octet) => octet > 127));
        const parsed = await PostalMime.parse(raw);
        expect((parsed.subject ?? '').trim()).toBe(message.subject.trim());
        expect(parsed.messageId).toBe(`<${message.messageId}>`);
        expect(new Date(parsed.date!).getTime()).toBe(Math.floor(message.date.getTime() / 1_000) * 1_000);
        for (const [got, sent] of [
          [[parsed.from], [message.from]],
          [parsed.to, message.to],
          [parsed.cc ?? [], message.cc],
          [parsed.replyTo ?? [], message.replyTo],
        ] as const) {
          expect(got!.map((each) => each!.address!.replaceAll('"', ''))).toEqual(
            sent!.map((each) => asciiDomain(each.email).replaceAll('"', '')),
          );
          expect(got!.map((each) => shown(each!.name))).toEqual(sent!.map((each) => shown(each.name)));
        }
        expect(lines(parsed.text)).toBe(lines(message.text));
        expect(lines(parsed.html)).toBe(lines(message.html));
      }),
      { numRuns: runs },
    );
  });

  it('folds headers to 76 columns where they can be folded', () => {
    const to = Array.from({ length: 12 }, (_, index) => ({
      email: `recipient.number.${index}@example.org`,
      name: `Recipient, Number ${index} Ünïcode`,
    }));
    const { raw } = buildMessage({
      ...basic,
      to,
      subject: 'wörd '.repeat(60),
      headers: [['X-Long', 'some words '.repeat(40).trim()]],
    });
    const block = raw.subarray(0, raw.indexOf('\r\n\r\n')).toString('latin1');
    expect(Math.max(...block.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(76);
  });

  it('derives the text part from the html', async () => {
    const { raw } = buildMessage({
      ...basic,
      html: '<h1>Hi</h1><p>See <a href="https://x.example/?a=1&amp;b=2">this</a></p><img src="t.gif">',
    });
    expect((await PostalMime.parse(raw)).text).toBe('Hi\n\nSee this [https://x.example/?a=1&b=2]\n');
  });

  it('derives the beginning of the text where there are too many tags, however deep', async () => {
    for (const html of [
      '<b>word '.repeat(1_000_000),
      '<ul><li>word '.repeat(500_000),
      '<p>word</p>'.repeat(500_000),
    ]) {
      const { text } = await PostalMime.parse(buildMessage({ ...basic, html }).raw);
      expect(text!.match(/word/g)!.length).toBeLessThanOrEqual(20_000);
      expect(text).toContain('word');
    }
  });

  it('keeps the boundary out of the bodies', async () => {
    const boundary = /boundary="([^"]+)"/.exec(buildMessage(basic).raw.toString())![1];
    const html = `<p>before</p>\n--${boundary}--\n<p>after</p>`;
    const { raw } = buildMessage({ ...basic, html, text: `--${boundary}` });
    expect(lines((await PostalMime.parse(raw)).html)).toBe(html);
  });

  it.each<[string, Partial<OutgoingMessage>]>([
    ['subject', { subject: 'a\r\nBcc: x@y.test' }],
    ['subject', { subject: 'a\nb' }],
    ['subject', { subject: 'a\0b' }],
    ['From', { from: { email: 'a@b.test', name: 'a\rb' } }],
    ['To', { to: [{ email: 'a@b.test\r\nBcc: c@d.test' }] }],
    ['To', { to: [{ email: 'a@b.test>,<c@d.test' }] }],
    ['To', { to: [{ email: 'no-at-sign' }] }],
    ['To', { to: [{ email: 'a b@c.test' }] }],
    ['To', { to: [{ email: 'a@b..test' }] }],
    ['To', { to: [{ email: `a@${'b'.repeat(260)}.test` }] }],
    ['messageId', { messageId: 'a@b>\r\nX: y' }],
    ['headers.X-A', { headers: [['X-A', 'a\r\nBcc: x@y.test']] }],
    ['headers."MIME-Version"', { headers: [['MIME-Version', '1.0']] }],
    ['headers."Bcc"', { headers: [['Bcc', 'x@y.test']] }],
    ['headers."Message-ID"', { headers: [['Message-ID', '<a@b>']] }],
    ['headers."X-A:b\\r\\nBcc"', { headers: [['X-A:b\r\nBcc', 'c']] }],
    [
      'headers.x-a',
      {
        headers: [
          ['X-A', '1'],
          ['x-a', '2'],
        ],
      },
    ],
    ['headers.References', { headers: [['References', '<ü@b>']] }],
  ])('refuses a bad %s: %j', (field, overrides) => {
    expect(() => buildMessage({ ...basic, ...overrides })).toThrow(MailSyntaxError);
    expect(() => buildMessage({ ...basic, ...overrides })).toThrow(`${field}: `);
  });

  it.each<[string, string, string | RegExp]>([
    ['Auto-Submitted', 'auto-generated', 'auto-generated'],
    ['List-Id', 'Zoë’s news <news.example.test>', /^=\?UTF-8\?B\?[^ ]+\?= news <news\.example\.test>$/],
    ['List-Help', `<https://example.test/${'a'.repeat(80)}>`, `<https://example.test/${'a'.repeat(80)}>`],
    ['Organization', 'Café', /^=\?UTF-8\?B\?/],
  ])('writes the standard header %s', (name, value, expected) => {
    const { raw } = buildMessage({ ...basic, headers: [[name, value]] });
    const line = new RegExp(`^${name}: (.*)\\r$`, 'm').exec(raw.toString().replace(/\r\n /g, ' '))![1];
    if (typeof expected === 'string') expect(line!.trim()).toBe(expected);
    else expect(line).toMatch(expected);
  });

  it('sets the headers of the service unencoded', () => {
    const url = `<https://mail.example/u/${'t'.repeat(120)}>`;
    const { raw } = buildMessage({
      ...basic,
      headers: [
        ['List-Unsubscribe', url],
        ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
        ['In-Reply-To', '<a@b.test>'],
      ],
    });
    expect(raw.toString()).toContain(
      `\r\nList-Unsubscribe: ${url}\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\nIn-Reply-To: <a@b.test>\r\n`,
    );
  });
});
