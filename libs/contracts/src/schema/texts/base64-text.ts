import { randomUUID } from 'node:crypto';

const characters = /^[A-Za-z0-9+/\r\n]*$/;
// Line breaks belong to one part only: where two could take them, a mismatch takes quadratic time.
const charactersAndEnd = /^[A-Za-z0-9+/\r\n]*(?:={1,2}[\r\n]*)?$/;
const paddingValue = 64;
const maxPadding = 2;
const foreign = 255;
const sixBits = new Uint8Array(256).fill(foreign);
for (const [value, letter] of Buffer.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=',
).entries())
  sixBits[letter] = value;
const backslash = 0x5c;
const unicodeEscape = 0x75;
const pieceBytes = 32 * 1024;

/** Placeholder of a file in JSON. It starts with NUL, which no text of a body or call may contain. */
const placeholder = `\0${randomUUID()}:`;
const placeholders = new RegExp(`\\\\u0000${placeholder.slice(1)}(\\d+)`);
let replaced: Base64Text[] | null = null;

/** Consecutive pieces of JSON: text, and the bytes of files, whose quotes are part of the surrounding text. */
export type JsonPiece = string | Uint8Array;

/** Offsets of a long string in JSON bytes: after its opening quote, and of its closing quote. */
export interface FileText {
  start: number;
  end: number;
}

export const minFileTextLength = 64 * 1024;

/** Kept in its bytes: as a string a file would be copied at every step. */
export class Base64Text {
  private taken = false;

  private constructor(private readonly bytes: Buffer) {}

  /** Null if it is not base64 and has to be treated as an ordinary string. */
  static of(literal: Buffer): Base64Text | null {
    if (!literal.includes(backslash)) return isPlain(literal) ? new Base64Text(literal) : null;
    return isEscaped(literal) ? new Base64Text(withFewEscapes(literal)) : null;
  }

  /** The bytes between the quotes in JSON. */
  get literal(): Uint8Array {
    if (this.taken) throw new Error('The file of this text has already been decoded');
    return this.bytes;
  }

  get length(): number {
    return this.bytes.length;
  }

  /** Size of the file without decoding it; 0 if the text has escapes. */
  get minDecodedBytes(): number {
    const literal = this.bytes;
    if (literal.includes(backslash)) return 0;
    const end = literal.subarray(-maxPadding);
    return Math.floor(
      ((literal.length - end.filter((letter) => sixBits[letter] === paddingValue).length) * 3) / 4,
    );
  }

  toJSON(): string {
    return replaced ? `${placeholder}${replaced.push(this) - 1}` : this.toString();
  }

  toString(): string {
    return [...textsOf(this.bytes)].join('');
  }

  /** Decodes the file in place, which destroys the text; null if the base64 is incomplete. */
  decodeInPlace(): Buffer | null {
    this.taken = true;
    const { bytes } = this;
    let [written, characters, padding, group] = [0, 0, 0, 0];
    for (let at = 0; at < bytes.length; at += 1) {
      const value = sixBits[bytes[at]!]!;
      if (value < 64) {
        group = ((group << 6) | value) & 0xffffff;
        characters += 1;
        // Four characters become three bytes, so writing never overtakes reading.
        if ((characters & 3) === 0) {
          bytes[written] = group >> 16;
          bytes[written + 1] = group >> 8;
          bytes[written + 2] = group;
          written += 3;
        }
      } else if (value === paddingValue) padding += 1;
      else if (bytes[at] === backslash) at += 1;
    }
    const rest = characters % 4;
    if (rest === 1 || (padding > 0 && (characters + padding) % 4 !== 0)) return null;
    if (rest === 2) written = bytes.writeUInt8((group >> 4) & 0xff, written);
    if (rest === 3) written = bytes.writeUInt16BE((group >> 2) & 0xffff, written);
    return bytes.subarray(0, written);
  }
}

/** `JSON.parse` that leaves attachments in their bytes; other long strings become strings again. */
export function readJson(bytes: Buffer, fileTexts: readonly FileText[]): unknown {
  const files: Base64Text[] = [];
  let text = '';
  let from = 0;
  for (const { start, end } of fileTexts) {
    const file = Base64Text.of(bytes.subarray(start, end));
    if (file) {
      text += `${bytes.toString('utf8', from, start)}\\u0000${placeholder.slice(1)}${files.push(file) - 1}`;
      from = end;
    }
  }
  const value: unknown = JSON.parse(text + bytes.toString('utf8', from));
  return files.length > 0 ? withFiles(value, '', files) : value;
}

/** Runs `write`, which calls JSON.stringify, and returns its text with the files as separate pieces. */
export function writeJson(write: () => string): JsonPiece[] {
  const files: Base64Text[] = [];
  replaced = files;
  try {
    const text = write();
    return files.length === 0
      ? [text]
      : text
          .split(placeholders)
          .map((piece, index) => (index % 2 === 0 ? piece : files[Number(piece)]!.literal));
  } finally {
    replaced = null;
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
    // Assigning `__proto__` would change the prototype.
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
  typeof value === 'string' && value.startsWith(placeholder)
    ? files[Number(value.slice(placeholder.length))]
    : undefined;

/** Byte by byte, because substrings would allocate as much memory as the file. */
function isPlain(literal: Buffer): boolean {
  const { length } = literal;
  let at = 0;
  while (at < length && sixBits[literal[at]!]! < 64) at += 1;
  let padding = 0;
  for (; at < length; at += 1)
    if (sixBits[literal[at]!] !== paddingValue || (padding += 1) > maxPadding) return false;
  return true;
}

function isEscaped(literal: Buffer): boolean {
  let end = '';
  for (const piece of textsOf(literal)) {
    if (end === '' && characters.test(piece)) continue;
    end += piece;
    if (!charactersAndEnd.test(end)) return false;
    // Enough context to check the next piece.
    end = /[\r\n]$/.test(end) ? '=\n' : end.slice(-2);
  }
  return true;
}

/** Rewrites the literal in place the way JSON.stringify would. */
function withFewEscapes(literal: Buffer): Buffer {
  let written = 0;
  for (const piece of textsOf(literal))
    written += literal.write(JSON.stringify(piece).slice(1, -1), written, 'latin1');
  return literal.subarray(0, written);
}

function* textsOf(literal: Buffer): Generator<string> {
  for (let at = 0; at < literal.length;) {
    const end = afterEscape(literal, Math.min(at + pieceBytes, literal.length));
    const piece = literal.toString('latin1', at, end);
    at = end;
    yield piece.includes('\\') ? (JSON.parse(`"${piece}"`) as string) : piece;
  }
}

function afterEscape(literal: Buffer, end: number): number {
  const last = end - 6 + literal.subarray(end - 6, end).lastIndexOf(backslash);
  if (end === literal.length || last < end - 6) return end;
  let first = last;
  while (first > 0 && literal[first - 1] === backslash) first -= 1;
  const opens = (last - first) % 2 === 0;
  const length = literal[last + 1] === unicodeEscape ? 6 : 2;
  return opens && last + length > end ? last : end;
}
