import { isAscii, isUtf8 } from 'node:buffer';
import { maxImportColumns as maxColumns } from '@posthorn/contracts';

export type RowFault = 'quote' | 'too_long' | 'too_many_columns' | 'invalid_text';

export interface CsvRow {
  /** Offset in the file of the first byte after the row, from which another reader can continue. */
  end: number;
  line: number;
  lines: number;
  cells: string[];
  fault: RowFault | null;
}

interface CsvReaderOptions {
  delimiter: string;
  /** Offset in the file of the first byte that is pushed. */
  from?: number;
  lines?: number;
}

interface Scanned {
  end: number;
  cells: string[];
  fault: RowFault | null;
}

const [quote, lf, cr] = [0x22, 0x0a, 0x0d];
/** Instead of the offset at which a cell ends. */
const [unfinished, broken] = [-1, -2];
export const maxRow = 1024 * 1024;

/** RFC 4180 in UTF-8, in bounded memory. A misplaced or unclosed quote loses only its line. */
export class CsvReader {
  private buffered: Buffer = Buffer.alloc(0);
  private at: number;
  private lines: number;
  private skipping = false;
  private hasEnded = false;
  private readonly delimiter: number;
  /** The buffer as text, where each of its bytes is a character: a row then needs no call of its own to be checked or decoded. */
  private ascii: string | null = null;

  constructor({ delimiter, from = 0, lines = 0 }: CsvReaderOptions) {
    this.delimiter = delimiter.charCodeAt(0);
    this.at = from;
    this.lines = lines;
  }

  *push(bytes: Buffer): Generator<CsvRow> {
    this.buffered = this.buffered.length === 0 ? bytes : Buffer.concat([this.buffered, bytes]);
    yield* this.rows();
  }

  *end(): Generator<CsvRow> {
    this.hasEnded = true;
    yield* this.rows();
    if (this.skipping)
      yield { end: this.at, line: this.lines + 1, lines: this.lines + 1, cells: [], fault: 'too_long' };
  }

  private *rows(): Generator<CsvRow> {
    const { buffered } = this;
    this.ascii = isAscii(buffered) && !buffered.includes(0) ? buffered.toString('latin1') : null;
    let start = 0;
    for (;;) {
      start = this.skipEmptyLines(start);
      if (start >= this.buffered.length) break;
      const scanned = this.skipping ? this.skip(start) : this.scan(start);
      if (!scanned) break;
      const { end, cells, fault } = scanned;
      const line = this.lines + 1;
      this.lines += this.linesWithin(start, end);
      start = end;
      yield { end: this.at + end, line, lines: this.lines, cells, fault };
    }
    this.at += start;
    this.buffered = this.buffered.subarray(start);
  }

  private skipEmptyLines(start: number): number {
    let at = start;
    while (!this.skipping && (this.buffered[at] === lf || this.buffered[at] === cr)) {
      const end = this.afterLine(at);
      if (end === null) break;
      at = end;
      this.lines += 1;
    }
    return at;
  }

  private scan(start: number): Scanned | null {
    const row = this.row(start);
    if (row) return row.end - start > maxRow ? { end: row.end, cells: [], fault: 'too_long' } : row;
    if (this.buffered.length - start <= maxRow) return this.hasEnded ? this.line(start, 'quote') : null;
    // Either an unclosed quote or a very long line.
    const line = this.lineEnd(start);
    if (line !== null && line - start <= maxRow) return this.line(start, 'quote');
    this.skipping = true;
    return this.skip(start);
  }

  private skip(start: number): Scanned | null {
    const end = this.lineEnd(start) ?? (this.hasEnded ? this.buffered.length : null);
    if (end === null) {
      this.at += this.buffered.length - start;
      this.buffered = this.buffered.subarray(0, start);
      return null;
    }
    this.skipping = false;
    return { end, cells: [], fault: 'too_long' };
  }

  private line(start: number, fault: RowFault): Scanned {
    return { end: this.lineEnd(start) ?? this.buffered.length, cells: [], fault };
  }

  private row(start: number): Scanned | null {
    const cells: string[] = [];
    let at = start;
    for (;;) {
      // Reading beyond the end of a buffer makes all reads at this place slow.
      const isQuoted = at < this.buffered.length && this.buffered[at] === quote;
      const end = isQuoted ? this.quotedEnd(at) : this.plainEnd(at);
      if (end === unfinished) return null;
      if (end === broken)
        return this.lineEnd(start) === null && !this.hasEnded ? null : this.line(start, 'quote');
      if (cells.length <= maxColumns)
        cells.push(isQuoted ? this.unquoted(at + 1, end - 1) : this.text(at, end));
      at = end;
      if (at >= this.buffered.length || this.buffered[at] !== this.delimiter) break;
      at += 1;
    }
    const end = this.afterLine(at);
    return end === null ? null : this.checked(start, end, cells);
  }

  private checked(start: number, end: number, cells: string[]): Scanned {
    if (this.ascii === null && !isText(this.buffered.subarray(start, end)))
      return { end, cells: [], fault: 'invalid_text' };
    if (cells.length > maxColumns) return { end, cells: [], fault: 'too_many_columns' };
    return { end, cells, fault: null };
  }

  private quotedEnd(start: number): number {
    const bytes = this.buffered;
    let at = start + 1;
    for (; at < bytes.length; at += 1) {
      if (bytes[at] !== quote) continue;
      if (at + 1 < bytes.length && bytes[at + 1] === quote) at += 1;
      else break;
    }
    const end = at + 1;
    if (end > bytes.length || (end === bytes.length && !this.hasEnded)) return unfinished;
    return end === bytes.length || this.isEnd(end) ? end : broken;
  }

  private plainEnd(start: number): number {
    const { buffered: bytes, delimiter } = this;
    let at = start;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === delimiter || byte === lf || byte === cr) break;
    }
    return at === bytes.length && !this.hasEnded ? unfinished : at;
  }

  private unquoted(start: number, end: number): string {
    const bytes = this.buffered;
    for (let at = start; at < end; at += 1)
      if (bytes[at] === quote) return withoutPairs(bytes.subarray(start, end)).toString('utf8');
    return this.text(start, end);
  }

  private text(start: number, end: number): string {
    return this.ascii === null ? this.buffered.toString('utf8', start, end) : this.ascii.slice(start, end);
  }

  private isEnd(at: number): boolean {
    const byte = this.buffered[at];
    return byte === this.delimiter || byte === lf || byte === cr;
  }

  private linesWithin(start: number, end: number): number {
    let count = 1;
    for (let at = this.lineEnd(start); at !== null && at < end; at = this.lineEnd(at)) count += 1;
    return count;
  }

  private lineEnd(start: number): number | null {
    const bytes = this.buffered;
    for (let at = start; at < bytes.length; at += 1)
      if (bytes[at] === lf || bytes[at] === cr) return this.afterLine(at);
    return null;
  }

  /** A CR alone ends a line, too; as the last byte it may be the first half of CRLF. */
  private afterLine(at: number): number | null {
    if (at === this.buffered.length) return this.hasEnded ? at : null;
    if (this.buffered[at] === lf) return at + 1;
    if (at + 1 === this.buffered.length) return this.hasEnded ? at + 1 : null;
    return this.buffered[at + 1] === lf ? at + 2 : at + 1;
  }
}

const isText = (bytes: Buffer): boolean => isUtf8(bytes) && !bytes.includes(0);

/** Each pair of quotes stands for one. A million of them would take `replaceAll` a tenth of a second. */
function withoutPairs(quoted: Buffer): Buffer {
  const plain = Buffer.allocUnsafe(quoted.length);
  let length = 0;
  for (let at = 0; at < quoted.length; at += 1) {
    const byte = quoted[at]!;
    plain[length] = byte;
    length += 1;
    if (byte === quote) at += 1;
  }
  return plain.subarray(0, length);
}
