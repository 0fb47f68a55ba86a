import { describe, expect, it } from '@jest/globals';
import { growthOf, repeated } from '@posthorn/testing';
import fc from 'fast-check';
import { Base64Text, readJson, writeJson, type FileText } from './base64-text.js';
import { parse } from '../parse.js';
import { SendEmail } from '../../sending/sends.js';

const textOf = (written: string): Base64Text | null => Base64Text.of(Buffer.from(written));
const wrapped = (data: Buffer, end: string): string => data.toString('base64').replace(/.{76}/g, `$&${end}`);

/** The offsets of the only long string, as the body reader finds them. */
function only(json: Buffer): FileText[] {
  const start = json.indexOf('"content":"') + '"content":"'.length;
  return [{ start, end: json.indexOf('"', start) }];
}

describe('a base64 file in its bytes', () => {
  it('decodes like Buffer, whatever the line breaks and escapes', () => {
    const ways: ((data: Buffer) => string)[] = [
      (data) => data.toString('base64'),
      (data) => data.toString('base64').replace(/=+$/, ''),
      (data) => JSON.stringify(wrapped(data, '\r\n')).slice(1, -1),
      (data) => data.toString('base64').replaceAll('/', '\\/').replaceAll('+', '\\u002B'),
    ];
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.constantFrom(...ways), (bytes, way) => {
        const written = way(Buffer.from(bytes));
        expect(JSON.stringify(textOf(written))).toBe(JSON.stringify(JSON.parse(`"${written}"`)));
        const file = textOf(written)!;
        expect(
          file.minDecodedBytes === bytes.length || (written.includes('\\') && file.minDecodedBytes === 0),
        ).toBe(true);
        expect(file.decodeInPlace()).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('decodes an escape sequence that crosses two pieces', () => {
    const data = Buffer.alloc(100_000, 0xff);
    for (let before = 0; before < 7; before += 1) {
      const written =
        `${'\\n'.repeat(before)}A`.slice(0, -1) + data.toString('base64').replaceAll('/', '\\u002f');
      expect(textOf(written)!.decodeInPlace()).toEqual(data);
    }
  });

  it.each(['AAAAA', 'AAA==', 'AA===', 'AAAAA==', 'A'])(
    'is not decoded with an incomplete group: %s',
    (written) => {
      expect(textOf(written)?.decodeInPlace() ?? null).toBeNull();
    },
  );

  it.each(['A A', 'ä', '=A', 'AA=A', 'AA===', '-_', 'AA\\"', 'AA\\u0041\\t', 'AA=\\n='])(
    'is an ordinary string if it is not base64: %j',
    (written) => {
      expect(textOf(written)).toBeNull();
    },
  );

  it('passes from JSON to JSON without becoming a string, and is decoded once', () => {
    const content = Buffer.alloc(1_000, 7).toString('base64');
    const json = Buffer.from(
      JSON.stringify({
        to: 'ä@b.test',
        subject: 's',
        body: 'b',
        attachments: [{ filename: 'a.bin', content }],
      }),
    );
    const body = readJson(json, only(json)) as { attachments: [{ content: Base64Text }] };
    const file = body.attachments[0].content;
    expect(file).toBeInstanceOf(Base64Text);
    const pieces = writeJson(() => JSON.stringify(body));
    expect(Buffer.concat(pieces.map((piece) => Buffer.from(piece)))).toEqual(json);
    expect(JSON.stringify(body)).toBe(json.toString());
    expect(parse(SendEmail, body).attachments![0]!.content).toBe(file);
    expect(file.decodeInPlace()).toEqual(Buffer.alloc(1_000, 7));
    expect(() => file.literal).toThrow('already been decoded');
  });

  it.each([
    { data: { content: 'AAAA' } },
    { content: 'AAAA' },
    { attachments: { inner: { content: 'AAAA' } } },
    JSON.parse('{"__proto__":{"content":"AAAA"}}') as object,
  ])('becomes a string again outside of attachments: %j', (value) => {
    const json = Buffer.from(JSON.stringify(value));
    expect(readJson(Buffer.from(json), only(json))).toEqual(JSON.parse(json.toString()));
  });

  it.each(['\n', '\r\n', 'A\n', '=', 'A='])(
    'is refused in linear time where it is long, as text and as bytes: %j',
    (unit) => {
      const send = (content: string) =>
        parse(SendEmail, { to: 'a@b.example', attachments: [{ filename: 'a.txt', content }] });
      const refused = (content: string) => expect(() => send(content)).toThrow();
      expect(growthOf(refused, repeated(unit, '!'))).toBeLessThan(15);
      const escaped = (content: string) => expect(textOf(JSON.stringify(content).slice(1, -1))).toBeNull();
      expect(growthOf(escaped, repeated(unit, '\n!'))).toBeLessThan(15);
    },
  );
});
