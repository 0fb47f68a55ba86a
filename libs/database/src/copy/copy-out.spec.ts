import { expect, it } from '@jest/globals';
import { CopiedBytes, CopyMisread } from './copy-out.js';

const header = (extension = Buffer.alloc(0), flags = 0) =>
  Buffer.concat([
    Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'),
    int32(flags),
    int32(extension.length),
    extension,
  ]);
const value = (bytes: Buffer) => Buffer.concat([int16(1), int32(bytes.length), bytes]);
const nothing = Buffer.concat([int16(1), int32(-1)]);
const trailer = int16(-1);

function int16(number: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(number);
  return bytes;
}

function int32(number: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(number);
  return bytes;
}

/** Copies the bytes at once, as every consumer must. */
function read(...pieces: Buffer[]): string {
  const taken: Buffer[] = [];
  const copied = new CopiedBytes((bytes) => taken.push(Buffer.from(bytes)));
  for (const piece of pieces) copied.push(piece);
  copied.end();
  return Buffer.concat(taken).toString('latin1');
}

const whole = Buffer.concat([
  ...[header(Buffer.from('later')), value(Buffer.from('PGCOPY\n')), nothing, value(Buffer.alloc(0))],
  ...[value(Buffer.from('\0\xff\xff\0')), value(Buffer.alloc(300, 'x')), trailer],
]);
const values = `PGCOPY\n${Buffer.from('\0\xff\xff\0').toString('latin1')}${'x'.repeat(300)}`;

it('reads values one after another; NULL, empty values and header extensions have no bytes', () => {
  expect(read(whole)).toBe(values);
  expect(read(header(), trailer)).toBe('');
});

it('reads the same in chunks of any size', () => {
  for (let at = 0; at <= whole.length; at += 1)
    expect(read(whole.subarray(0, at), whole.subarray(at))).toBe(values);
  expect(read(...Array.from(whole, (_, at) => whole.subarray(at, at + 1)))).toBe(values);
});

it('refuses data that ends before its trailer', () => {
  for (let end = 0; end < whole.length; end += 1)
    expect(() => read(whole.subarray(0, end))).toThrow(CopyMisread);
});

it.each<[string, Buffer[]]>([
  ['another signature', [Buffer.from('PGCOPY\n\xff\n\n\0\0\0\0\0\0\0\0\0', 'latin1')]],
  ['a flag that must be understood', [header(undefined, 1 << 16)]],
  ['two columns', [header(), int16(2)]],
  ['no column', [header(), int16(0)]],
  ['a length below that of NULL', [header(), int16(1), int32(-2)]],
  ['bytes after the trailer', [header(), trailer, Buffer.from('x')]],
])('refuses %s', (_, pieces) => {
  expect(() => read(...pieces)).toThrow(CopyMisread);
});

it('accepts a flag that may be ignored', () => {
  expect(read(header(undefined, 1), value(Buffer.from('x')), trailer)).toBe('x');
});
