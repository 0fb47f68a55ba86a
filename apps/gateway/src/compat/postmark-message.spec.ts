import { describe, expect, it } from '@jest/globals';
import { DomainError } from '@posthorn/contracts';
import { growthOf, repeated } from '@posthorn/testing';
import fc from 'fast-check';
import { postmarkErrorOf } from '../dialects/postmark.js';
import { readMessage } from './postmark-message.js';

const plain = {
  From: 'Shop <hello@shop.example>',
  To: 'ada@example.org',
  Subject: 'Hello',
  HtmlBody: '<p>{{ as it stands }}</p>',
};

const answerTo = (message: unknown) => {
  try {
    return readMessage(message);
  } catch (error) {
    if (error instanceof DomainError) return postmarkErrorOf(error);
    throw error;
  }
};

describe('a message of the compatibility dialect', () => {
  it('is read into contract names', () => {
    const read = readMessage({
      ...plain,
      To: 'ada@example.org, "Hopper, Grace" <Grace@Example.org>,',
      Cc: 'Copy <copy@example.org>',
      Bcc: 'blind@example.org',
      TextBody: 'as it stands',
      ReplyTo: 'help@shop.example',
      Headers: [{ Name: 'X-Order', Value: '1' }],
      Attachments: [
        { Name: 'a.pdf', Content: 'SGVsbG8=', ContentType: 'application/pdf', ContentID: null },
        {
          Name: 'logo.png',
          Content: 'SGVsbG8=',
          ContentType: 'image/png; name=logo.png',
          ContentID: 'cid:logo',
        },
      ],
      Tag: ' welcome, mail! ',
      MessageStream: 'outbound',
      TrackOpens: true,
      TrackLinks: 'None',
      Metadata: { a: 'b' },
      Nobody: { knows: ['this'] },
    });
    expect(read.recipients).toEqual([
      { email: 'ada@example.org' },
      { email: 'grace@example.org', name: 'Hopper, Grace' },
    ]);
    expect(read.to).toBe('ada@example.org, "Hopper, Grace" <Grace@Example.org>,');
    expect({ ...read.content }).toEqual({
      from: { email: 'hello@shop.example', name: 'Shop' },
      subject: 'Hello',
      body: plain.HtmlBody,
      text: 'as it stands',
      cc: [{ email: 'copy@example.org', name: 'Copy' }],
      bcc: [{ email: 'blind@example.org' }],
      replyTo: { email: 'help@shop.example' },
      headers: { 'X-Order': '1' },
      attachments: [
        { filename: 'a.pdf', content: 'SGVsbG8=', contentType: 'application/pdf' },
        { filename: 'logo.png', content: 'SGVsbG8=', contentType: 'image/png', contentId: 'logo' },
      ],
      tags: ['welcome-mail'],
    });
  });

  it('needs no HTML if it has text', () => {
    const { HtmlBody: _, ...rest } = plain;
    expect(readMessage({ ...rest, TextBody: 'Hello' }).content).toMatchObject({ text: 'Hello' });
  });

  it.each([
    [300, 'From is required', { From: undefined }],
    [300, 'From contains an invalid address', { From: 'nobody' }],
    [300, 'From must be a single address', { From: 'a@x.example, b@x.example' }],
    [300, 'To is required', { To: ' , ' }],
    [300, 'To must be a string', { To: ['ada@example.org'] }],
    [300, 'Cc contains an invalid address', { Cc: 'ada@example.org; grace@example.org' }],
    [300, 'Bcc contains an invalid address', { Bcc: 'x' }],
    [300, 'Subject is required', { Subject: '' }],
    [300, 'Subject', { Subject: 'a\r\nBcc: x@example.org' }],
    [300, 'HtmlBody or TextBody is required', { HtmlBody: null }],
    [300, 'To is required; Subject is required', { To: '', Subject: null }],
    [300, 'ReplyTo', { ReplyTo: 'x' }],
    [300, 'Headers', { Headers: [{ Name: 'Bcc', Value: 'x@example.org' }] }],
    [300, 'Headers', { Headers: [{ Name: 'X-A', Value: 'a\r\nb' }] }],
    [300, 'Headers', { Headers: [{ Name: 'X-A\r\nBcc', Value: 'x@example.org' }] }],
    ...['From', 'To', 'Cc', 'Bcc', 'ReplyTo'].map(
      (name) => [300, name, { [name]: 'Ada\r\nX: y <ada@example.org>' }] as const,
    ),
    [300, 'Attachments[0].Name', { Attachments: [{ Name: 'a\r\nX: y', Content: 'SGVsbG8=' }] }],
    [
      300,
      'Attachments[0].ContentType',
      { Attachments: [{ Name: 'a', Content: 'SGVsbG8=', ContentType: 'text/plain\r\nX: y' }] },
    ],
    [
      300,
      'Attachments[0].ContentID',
      { Attachments: [{ Name: 'a', Content: 'SGVsbG8=', ContentID: 'cid:a\r\nX: y' }] },
    ],
    [
      300,
      'Headers must not contain a header twice',
      {
        Headers: [
          { Name: 'X-A', Value: 'a' },
          { Name: 'x-a', Value: 'b' },
        ],
      },
    ],
    [300, 'Headers must be a list of objects', { Headers: { 'X-A': 'a' } }],
    [300, 'Attachments[0].Name', { Attachments: [{ Name: '../a', Content: 'SGVsbG8=' }] }],
    [300, 'Attachments[0].Content', { Attachments: [{ Name: 'a', Content: '§' }] }],
    [
      300,
      'To, Cc and Bcc have more than 50',
      { To: Array.from({ length: 51 }, (_, index) => `a${index}@example.org`).join() },
    ],
    [
      300,
      'To, Cc and Bcc have more than 50',
      { Bcc: Array.from({ length: 10_001 }, (_, index) => `a${index}@example.org`).join() },
    ],
    [1101, 'Templates are not supported', { TemplateId: 1 }],
    [1101, 'Templates are not supported', { TemplateModel: {} }],
  ])('is refused with %d: %s', (code, message, change) => {
    expect(answerTo({ ...plain, ...change })).toEqual({
      ErrorCode: code,
      Message: expect.stringContaining(message),
    });
  });

  it('never causes an internal error', () => {
    const names = [
      'From',
      'To',
      'Cc',
      'Bcc',
      'Subject',
      'HtmlBody',
      'TextBody',
      'ReplyTo',
      'Headers',
      'Attachments',
      'Tag',
    ];
    const anything = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom(...names), fc.jsonValue()).map((change) => ({ ...plain, ...change })),
    );
    fc.assert(fc.property(anything, (message) => expect(answerTo(message)).toBeDefined()));
  });

  it('cuts tags in linear time', () => {
    const inside = (unit: string) => (length: number) => `a${repeated(unit, 'a')(length)}`;
    for (const unit of ['-', ' ', 'a-', '- a'])
      expect(growthOf((Tag) => answerTo({ ...plain, Tag }), inside(unit))).toBeLessThan(15);
    expect(
      ['--a--b--', ' a b ', '-_-', '----', 'null'].map((Tag) => readMessage({ ...plain, Tag }).content.tags),
    ).toEqual([['a--b'], ['a-b'], ['_'], undefined, ['null']]);
  });

  it('splits addresses in linear time', () => {
    const began = process.cpuUsage();
    for (const To of ['"'.repeat(100_000), '<'.repeat(100_000), '"a\\'.repeat(30_000), ','.repeat(100_000)])
      answerTo({ ...plain, To });
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(2_000);
  });
});
