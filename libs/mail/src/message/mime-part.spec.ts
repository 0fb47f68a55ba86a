import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import PostalMime from 'postal-mime';
import { wireFaults } from '../../../testing/src/smtp-sink/smtp-sink.js';
import { buildMessage, type OutgoingMessage } from './message.js';
import { attachmentPart, type MailAttachment } from './mime-part.js';

const runs = 500;

const fileName = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(' ', '"', "'", '%', '*', ';', '=', 'ü', '名', '👩‍👩‍👧‍👦', '.', '\\'),
      fc.string({ minLength: 1, maxLength: 1 }),
    ),
    minLength: 1,
    maxLength: 120,
  })
  .map((name) =>
    name
      .replace(/[\r\n\0]/g, '')
      .toWellFormed()
      .trim(),
  )
  .filter((name) => name !== '');

const attachment: fc.Arbitrary<MailAttachment> = fc.record({
  filename: fileName,
  contentType: fc.constantFrom(
    'application/pdf',
    'image/png',
    'application/json',
    'application/octet-stream',
  ),
  contentId: fc.option(fc.uuid(), { nil: null }),
  disposition: fc.constantFrom('attachment', 'inline'),
  data: fc.uint8Array({ minLength: 1, maxLength: 700 }),
});

const message = (attachments: readonly MailAttachment[], html: string): OutgoingMessage => ({
  messageId: '0190@mail.example',
  date: new Date('2026-11-21T08:00:00Z'),
  from: { email: 'shop@shop.example', name: 'Shop' },
  to: [{ email: 'jane@example.org' }],
  subject: 'Your order',
  html,
  text: 'Hello',
  attachments,
  boundarySeed: '0190',
});

const bytesOf = (content: unknown): Buffer => Buffer.from(content as ArrayBuffer);

describe('the attachments of a message', () => {
  it(`are preserved byte for byte, with their names, in ${runs} messages`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(attachment, { maxLength: 4 }),
        fc.constantFrom('', '<p>Hello</p>'),
        async (attachments, html) => {
          const { raw } = buildMessage(message(attachments, html));
          expect(wireFaults(raw)).toEqual([]);
          expect(raw.every((octet) => octet < 128)).toBe(true);
          expect(buildMessage(message(attachments, html)).raw.equals(raw)).toBe(true);
          const parsed = await PostalMime.parse(raw, { attachmentEncoding: 'arraybuffer' });
          expect(parsed.text?.trim()).toBe('Hello');
          expect(parsed.html?.trim() ?? '').toBe(html);
          const back = parsed.attachments.map(({ filename, mimeType, contentId, content }) => [
            filename,
            mimeType,
            contentId ?? null,
            bytesOf(content).toString('base64'),
          ]);
          const sent = attachments.map(({ filename, contentType, contentId, data }) => [
            filename,
            contentType,
            contentId === null ? null : `<${contentId}>`,
            Buffer.from(data).toString('base64'),
          ]);
          expect(back.toSorted()).toEqual(sent.toSorted());
        },
      ),
      { numRuns: runs },
    );
  });

  it('are related to the HTML that shows them, or follow it', () => {
    const file = (
      filename: string,
      contentId: string | null,
      disposition: 'inline' | 'attachment',
    ): MailAttachment => ({
      filename,
      contentType: 'image/png',
      contentId,
      disposition,
      data: Buffer.from('bytes'),
    });
    const raw = buildMessage(
      message(
        [file('logo.png', 'logo', 'inline'), file('bill.pdf', null, 'attachment')],
        '<img src="cid:logo">',
      ),
    ).raw.toString();
    const order = [
      /multipart\/mixed/,
      /multipart\/alternative/,
      /text\/plain/,
      /multipart\/related/,
      /text\/html/,
      /Content-ID: <logo>/,
      /bill\.pdf/,
    ];
    const positions = order.map((each) => raw.search(each));
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(positions).not.toContain(-1);
  });
});

describe('the type of an attachment', () => {
  const headersOf = (file: Partial<MailAttachment>): string => {
    const given: MailAttachment = {
      filename: 'a.bin',
      contentType: 'text/plain',
      contentId: null,
      disposition: 'attachment',
      data: Buffer.from('x'),
      ...file,
    };
    return attachmentPart(given).headers.replace(/\r\n /g, ' ');
  };

  it.each([
    [
      'text/calendar; charset=utf-8; method=REQUEST',
      'text/calendar; method=REQUEST; charset=utf-8; name="a.bin"',
    ],
    ['text/csv;charset="utf-8";name=other', 'text/csv; charset="utf-8"; name="a.bin"'],
    ['application/pdf', 'application/pdf; name="a.bin"'],
    ['Text/Plain; format="a;b" ', 'text/plain; format="a;b"; name="a.bin"'],
  ])('%s keeps its parameters', (contentType, expected) => {
    expect(headersOf({ contentType })).toContain(`Content-Type: ${expected}\r\n`);
  });

  it.each(['message/rfc822', 'message/delivery-status; x=y'])('%s is not encoded', (contentType) => {
    const data = Buffer.from('Subject: x\n\n7bit only\n');
    expect(headersOf({ contentType, data })).toContain(`Content-Type: ${contentType}; name="a.bin"`);
    expect(headersOf({ contentType, data })).toContain('Content-Transfer-Encoding: 7bit');
    expect(
      attachmentPart({ filename: 'a', contentType, contentId: null, disposition: 'inline', data }).body,
    ).toEqual(['Subject: x\r\n\r\n7bit only\r\n']);
  });

  it.each(['Subject: ü\r\n', 'a'.repeat(1_000), 'a\0'])(
    'of a message that needs encoding is that of a file: %#',
    (text) => {
      const headers = headersOf({ contentType: 'message/rfc822', data: Buffer.from(text) });
      expect(headers).toContain('Content-Type: application/octet-stream; name="a.bin"');
      expect(headers).toContain('Content-Transfer-Encoding: base64');
    },
  );
});
