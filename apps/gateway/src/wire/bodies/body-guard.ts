import { isUtf8 } from 'node:buffer';
import { minFileTextLength, type FileText } from '@posthorn/contracts';

/** A structural fault of a body (docs/guarantees.md §1.5); `path` uses the body's own names. */
export interface BodyFault {
  kind: BodyFaultKind;
  path: string[];
}

export type BodyFaultKind =
  | 'not_utf8'
  | 'not_json'
  | 'duplicate_member'
  | 'too_deep'
  | 'too_many_members'
  | 'nul'
  | 'lone_surrogate'
  | 'number_out_of_range';

export const maxDepth = 32;
const maxKeys = 1_000;
const maxMembers = 20_000;
// Shorter numbers without an exponent are always finite.
const maxFinite = 300;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const minus = 0x2d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const space = 0x20;
const escapable = new Uint8Array(256);
for (const letter of Buffer.from('"\\/bfnrt')) escapable[letter] = 1;

// One pass in linear time. Invalid JSON may pass, because JSON.parse rejects it. `fileTexts` collects the offsets
// of long strings of members that may be files.
export function scanBody(bytes: Buffer, members = maxMembers, fileTexts: FileText[] = []): BodyFault | null {
  if (!isUtf8(bytes)) return { kind: 'not_utf8', path: [] };
  return scanner.scan(bytes, members, fileTexts);
}

class BodyScanner {
  private bytes: Buffer;
  private at: number;
  private depth: number;
  private members: number;
  private maxMembers: number;
  private expectsKey: boolean;
  private nothingYet: boolean;
  private escaped: boolean;
  private fault: BodyFault | null;
  private fileTexts: FileText[];
  private readonly isObject: boolean[] = [];
  private readonly keys: Set<string>[] = Array.from({ length: maxDepth + 1 }, () => new Set());
  private readonly key: string[] = [];
  private readonly index: number[] = [];

  scan(bytes: Buffer, members: number, fileTexts: FileText[]): BodyFault | null {
    this.bytes = bytes;
    this.fileTexts = fileTexts;
    this.maxMembers = members;
    this.at = this.depth = this.members = 0;
    this.expectsKey = this.nothingYet = this.escaped = false;
    this.fault = null;
    while (this.at < bytes.length && this.fault === null) this.token(bytes[this.at]!);
    this.forget();
    return this.fault;
  }

  private token(byte: number): void {
    this.at += 1;
    if (byte === quote) this.string();
    else if (byte === comma) this.next();
    else if (byte === openBrace || byte === openBracket) this.open(byte === openBrace);
    else if (byte === closeBrace || byte === closeBracket) this.close();
    else if (byte === minus || (byte >= 0x30 && byte <= 0x39)) this.number();
    else if (byte > space) this.begin();
  }

  /** Counts the first element of an array; the others are counted at their commas. */
  private begin(): void {
    if (this.nothingYet && !this.isObject[this.depth]) this.count();
    this.nothingYet = false;
  }

  private open(isObject: boolean): void {
    this.begin();
    this.depth += 1;
    if (this.depth > maxDepth) return this.refuse('too_deep', this.depth - 1);
    this.isObject[this.depth] = isObject;
    this.index[this.depth] = 0;
    this.expectsKey = isObject;
    this.nothingYet = true;
  }

  private close(): void {
    if (this.depth === 0) return this.refuse('not_json', 0);
    if (this.isObject[this.depth]) this.keys[this.depth]!.clear();
    this.depth -= 1;
    this.nothingYet = this.expectsKey = false;
  }

  private next(): void {
    if (this.depth === 0) return this.refuse('not_json', 0);
    this.expectsKey = this.isObject[this.depth]!;
    if (this.expectsKey) return;
    this.index[this.depth]! += 1;
    this.count();
  }

  private string(): void {
    const start = this.at;
    const isKey = this.expectsKey;
    this.begin();
    this.expectsKey = this.escaped = false;
    // Cleared until the name is read, so that a fault inside it is not attributed to the previous member.
    if (isKey) this.key[this.depth] = '';
    this.skipString();
    if (isKey && this.fault === null) this.name(start, this.at - 1);
    else if (this.at - start > minFileTextLength && /^content$/i.test(this.key[this.depth] ?? ''))
      this.fileTexts.push({ start, end: this.at - 1 });
  }

  private skipString(): void {
    const { bytes } = this;
    const end = bytes.length;
    let at = this.at;
    while (at < end) {
      const byte = bytes[at]!;
      if (byte === quote) {
        this.at = at + 1;
        return;
      } else if (byte === backslash) {
        this.escaped = true;
        at = escapable[bytes[at + 1]!] === 1 ? at + 2 : this.unicodeEscape(at);
        if (this.fault !== null) return;
      } else if (byte < space) {
        return this.refuse('not_json', this.depth);
      } else {
        at += 1;
      }
    }
    this.refuse('not_json', this.depth);
  }

  private unicodeEscape(at: number): number {
    const unit = this.codeUnit(at);
    if (unit === 0) this.refuse('nul', this.depth);
    if (Number.isNaN(unit)) this.refuse('not_json', this.depth);
    if (!(unit >= 0xd800 && unit <= 0xdfff)) return at + 6;
    const low = unit < 0xdc00 ? this.codeUnit(at + 6) : NaN;
    if (!(low >= 0xdc00 && low <= 0xdfff)) this.refuse('lone_surrogate', this.depth);
    return at + 12;
  }

  private codeUnit(at: number): number {
    const text = this.bytes.toString('latin1', at, at + 6);
    return /^\\u[0-9a-fA-F]{4}$/.test(text) ? parseInt(text.slice(2), 16) : NaN;
  }

  private name(start: number, end: number): void {
    const raw = this.bytes.toString('latin1', start, end);
    // Escaped names are decoded before they are compared.
    const name = this.escaped
      ? Buffer.from(JSON.parse(`"${this.bytes.toString('utf8', start, end)}"`) as string).toString('latin1')
      : raw;
    const keys = this.keys[this.depth]!;
    if (keys.has(name)) this.refuse('duplicate_member', this.depth);
    keys.add(name);
    this.key[this.depth] = name;
    if (keys.size > maxKeys) this.refuse('too_many_members', this.depth - 1);
    this.count();
  }

  private count(): void {
    this.members += 1;
    if (this.members > this.maxMembers) this.refuse('too_many_members', 0);
  }

  private number(): void {
    const start = this.at - 1;
    let exponent = false;
    this.begin();
    for (; this.at < this.bytes.length; this.at += 1) {
      const byte = this.bytes[this.at]!;
      if (byte === 0x65 || byte === 0x45) exponent = true;
      else if (!((byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x2b || byte === minus)) break;
    }
    if (!exponent && this.at - start < maxFinite) return;
    const value = Number(this.bytes.toString('latin1', start, this.at));
    if (value === Infinity || value === -Infinity) this.refuse('number_out_of_range', this.depth);
  }

  /** The first fault ends the pass; `depth` limits its path. */
  private refuse(kind: BodyFaultKind, depth: number): void {
    const steps = Array.from({ length: depth }, (_, step) => step + 1);
    const path = steps.map(
      (step) =>
        (this.isObject[step] ? this.key[step] : undefined) ??
        (this.isObject[step] ? '' : String(this.index[step])),
    );
    this.fault ??= { kind, path: path.map((part) => Buffer.from(part, 'latin1').toString()) };
  }

  private forget(): void {
    for (let depth = Math.min(this.depth, maxDepth); depth > 0; depth -= 1) this.keys[depth]!.clear();
    this.key.length = 0;
  }
}

const scanner = new BodyScanner();
