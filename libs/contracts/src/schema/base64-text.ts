import { randomUUID } from 'node:crypto';

const letters = /^[A-Za-z0-9+/\r\n]*$/;
const lettersAndEnd = /^[A-Za-z0-9+/\r\n]*={0,2}[\r\n]*$/;
const padded = 64;
const maxPadding = 2;
const foreign = 255;
/** What a letter stands for. */
const sixBits = new Uint8Array(256).fill(foreign);
for (const [value, letter] of Buffer.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=',
).entries())
  sixBits[letter] = value;
const backslash = 0x5c;
const unicodeEscape = 0x75;
const pieceBytes = 32 * 1024;

/** What holds the place of a file in JSON: no text of a body or of a call has a NUL, so none is taken for it. */
const mark = `\0${randomUUID()}:`;
const marks = new RegExp(`\\\\u0000${mark.slice(1)}(\\d+)`);
let leftOut: Base64Text[] | null = null;

/** JSON in pieces, one behind the other: text, and the bytes of files, whose quotes stand in the text around them. */
export type JsonPiece = string | Uint8Array;

/** Where a long string stands in the bytes of JSON: behind its first quote, and before its last. */
export interface LongString {
  start: number;
  end: number;
}

/** Shorter ones are strings like any other. */
export const longString = 64 * 1024;

/**
 * A file as its text in base64, left in the bytes that it came in: as a string it would be in memory once more at each step of its way,
 * and half of those would wait for the garbage collector.
 */
export class Base64Text {
  private taken = false;

  private constructor(private readonly bytes: Buffer) {}

  /** Null for what is no base64: that is a string like any other. */
  static of(literal: Buffer): Base64Text | null {
    if (!literal.includes(backslash)) return isPlain(literal) ? new Base64Text(literal) : null;
    return isEscaped(literal) ? new Base64Text(withFewEscapes(literal)) : null;
  }

  /** As it stands between its quotes in JSON. */
  get literal(): Uint8Array {
    if (this.taken) throw new Error('The file of this text was taken');
    return this.bytes;
  }

  get length(): number {
    return this.bytes.length;
  }

  /** Bytes of the file, known without reading it; 0 where its text has escapes. */
  get fewestBytes(): number {
    const literal = this.bytes;
    if (literal.includes(backslash)) return 0;
    const end = literal.subarray(-maxPadding);
    return Math.floor(((literal.length - end.filter((letter) => sixBits[letter] === padded).length) * 3) / 4);
  }

  toJSON(): string {
    return leftOut ? `${mark}${leftOut.push(this) - 1}` : this.toString();
  }

  toString(): string {
    return [...textsOf(this.bytes)].join('');
  }

  /** The file itself, in the place of its text, which is gone with it; null where half a group is left over. */
  take(): Buffer | null {
    this.taken = true;
    const { bytes } = this;
    let [written, letters, padding, group] = [0, 0, 0, 0];
    for (let at = 0; at < bytes.length; at += 1) {
      const value = sixBits[bytes[at]!]!;
      if (value < 64) {
        group = ((group << 6) | value) & 0xffffff;
        letters += 1;
        // Four letters that were read become three bytes: what is written never reaches what is not read yet.
        if ((letters & 3) === 0) {
          bytes[written] = group >> 16;
          bytes[written + 1] = group >> 8;
          bytes[written + 2] = group;
          written += 3;
        }
      } else if (value === padded) padding += 1;
      else if (bytes[at] === backslash) at += 1;
    }
    const rest = letters % 4;
    if (rest === 1 || (padding > 0 && (letters + padding) % 4 !== 0)) return null;
    if (rest === 2) written = bytes.writeUInt8((group >> 4) & 0xff, written);
    if (rest === 3) written = bytes.writeUInt16BE((group >> 2) & 0xffff, written);
    return bytes.subarray(0, written);
  }
}

/** `JSON.parse` that leaves the files of attachments in the bytes; whatever else was long is a string again. */
export function readJson(bytes: Buffer, long: readonly LongString[]): unknown {
  const files: Base64Text[] = [];
  let text = '';
  let from = 0;
  for (const { start, end } of long) {
    const file = Base64Text.of(bytes.subarray(start, end));
    if (file) {
      text += `${bytes.toString('utf8', from, start)}\\u0000${mark.slice(1)}${files.push(file) - 1}`;
      from = end;
    }
  }
  const value: unknown = JSON.parse(text + bytes.toString('utf8', from));
  return files.length > 0 ? withFiles(value, '', files) : value;
}

/** What `write` makes of JSON.stringify, with every file left out of the text. */
export function writeJson(write: () => string): JsonPiece[] {
  const files: Base64Text[] = [];
  leftOut = files;
  try {
    const text = write();
    return files.length === 0
      ? [text]
      : text.split(marks).map((piece, index) => (index % 2 === 0 ? piece : files[Number(piece)]!.literal));
  } finally {
    leftOut = null;
  }
}

function withFiles(value: unknown, name: string, files: readonly Base64Text[]): unknown {
  if (typeof value === 'string') return fileOf(value, files)?.toString() ?? value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => withFiles(entry, name, files));
  const members = value as Record<string, unknown>;
  const holdsFile = /^attachments$/i.test(name);
  for (const [key, member] of Object.entries(members)) {
    const file = holdsFile && /^content$/i.test(key) ? fileOf(member, files) : undefined;
    const put = file ?? withFiles(member, key, files);
    // A member `__proto__` that is set in the usual way would be the prototype.
    if (put !== member)
      Object.defineProperty(members, key, {
        value: put,
        writable: true,
        enumerable: true,
        configurable: true,
      });
  }
  return members;
}

const fileOf = (value: unknown, files: readonly Base64Text[]): Base64Text | undefined =>
  typeof value === 'string' && value.startsWith(mark) ? files[Number(value.slice(mark.length))] : undefined;

/** Byte by byte: pieces of text would be garbage of the size of the file. */
function isPlain(literal: Buffer): boolean {
  const { length } = literal;
  let at = 0;
  while (at < length && sixBits[literal[at]!]! < 64) at += 1;
  let padding = 0;
  for (; at < length; at += 1)
    if (sixBits[literal[at]!] !== padded || (padding += 1) > maxPadding) return false;
  return true;
}

function isEscaped(literal: Buffer): boolean {
  let end = '';
  for (const piece of textsOf(literal)) {
    if (end === '' && letters.test(piece)) continue;
    end += piece;
    if (!lettersAndEnd.test(end)) return false;
    // Enough of it to judge the next piece by.
    end = /[\r\n]$/.test(end) ? '=\n' : end.slice(-2);
  }
  return true;
}

/** In its own place, as JSON.stringify would write it. */
function withFewEscapes(literal: Buffer): Buffer {
  let written = 0;
  for (const piece of textsOf(literal))
    written += literal.write(JSON.stringify(piece).slice(1, -1), written, 'latin1');
  return literal.subarray(0, written);
}

/** What the literal says, piece by piece. */
function* textsOf(literal: Buffer): Generator<string> {
  for (let at = 0; at < literal.length;) {
    const end = afterEscape(literal, Math.min(at + pieceBytes, literal.length));
    const piece = literal.toString('latin1', at, end);
    at = end;
    yield piece.includes('\\') ? (JSON.parse(`"${piece}"`) as string) : piece;
  }
}

/** `end`, or the start of the escape that it would cut. */
function afterEscape(literal: Buffer, end: number): number {
  const last = end - 6 + literal.subarray(end - 6, end).lastIndexOf(backslash);
  if (end === literal.length || last < end - 6) return end;
  let first = last;
  while (first > 0 && literal[first - 1] === backslash) first -= 1;
  const opens = (last - first) % 2 === 0;
  const length = literal[last + 1] === unicodeEscape ? 6 : 2;
  return opens && last + length > end ? last : end;
}
