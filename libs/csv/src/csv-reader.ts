import { isUtf8 } from 'node:buffer';
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

interface Cell {
  end: number;
  text: string;
}

const [quote, lf, cr] = [0x22, 0x0a, 0x0d];
const nowhere = { from: Infinity, to: -1 };
export const maxRow = 1024 * 1024;

/** RFC 4180 in UTF-8, in bounded memory. A misplaced or unclosed quote loses only its line. */
export class CsvReader {
  private buffered: Buffer = Buffer.alloc(0);
  private at: number;
  private lines: number;
  private skipping = false;
  private hasEnded = false;
  private readonly delimiter: number;
  /** Up to where the buffer has no line feed, from an offset on: without it, each line would search to the end again. */
  private noFeed = nowhere;

  constructor({ delimiter, from = 0, lines = 0 }: CsvReaderOptions) {
    this.delimiter = delimiter.charCodeAt(0);
    this.at = from;
    this.lines = lines;
  }

  *push(bytes: Buffer): Generator<CsvRow> {
    this.hold(this.buffered.length === 0 ? bytes : Buffer.concat([this.buffered, bytes]));
    yield* this.rows();
  }

  *end(): Generator<CsvRow> {
    this.hasEnded = true;
    yield* this.rows();
    if (this.skipping)
      yield { end: this.at, line: this.lines + 1, lines: this.lines + 1, cells: [], fault: 'too_long' };
  }

  private hold(bytes: Buffer): void {
    this.buffered = bytes;
    this.noFeed = nowhere;
  }

  private *rows(): Generator<CsvRow> {
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
    this.hold(this.buffered.subarray(start));
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
      this.hold(this.buffered.subarray(0, start));
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
      const isKept = cells.length <= maxColumns;
      // Reading beyond the end of a buffer makes all reads at this place slow.
      const cell =
        at < this.buffered.length && this.buffered[at] === quote
          ? this.quoted(at, isKept)
          : this.plain(at, isKept);
      if (cell === null) return null;
      if (cell === 'broken')
        return this.lineEnd(start) === null && !this.hasEnded ? null : this.line(start, 'quote');
      if (isKept) cells.push(cell.text);
      at = cell.end;
      if (at >= this.buffered.length || this.buffered[at] !== this.delimiter) break;
      at += 1;
    }
    const end = this.afterLine(at);
    return end === null ? null : this.checked(start, end, cells);
  }

  private checked(start: number, end: number, cells: string[]): Scanned {
    const bytes = this.buffered.subarray(start, end);
    if (!isUtf8(bytes) || bytes.includes(0)) return { end, cells: [], fault: 'invalid_text' };
    if (cells.length > maxColumns) return { end, cells: [], fault: 'too_many_columns' };
    return { end, cells, fault: null };
  }

  private quoted(at: number, isKept: boolean): Cell | 'broken' | null {
    for (let from = at + 1; ;) {
      const found = this.afterPairs(this.buffered.indexOf(quote, from));
      if (found === -1) return null;
      if (found >= this.buffered.length) return null;
      if (this.buffered[found] !== quote) from = found;
      else if (found + 1 === this.buffered.length)
        return this.hasEnded ? this.unquoted(at, found, isKept) : null;
      else return this.isEnd(found + 1) ? this.unquoted(at, found, isKept) : 'broken';
    }
  }

  /** The offset after the escaped quotes that begin here. */
  private afterPairs(found: number): number {
    const bytes = this.buffered;
    let at = found;
    const last = bytes.length - 1;
    while (at !== -1 && at < last && bytes[at] === quote && bytes[at + 1] === quote) at += 2;
    return at;
  }

  private unquoted(at: number, end: number, isKept: boolean): Cell {
    const text = isKept ? withoutPairs(this.buffered.subarray(at + 1, end)).toString('utf8') : '';
    return { end: end + 1, text };
  }

  private plain(start: number, isKept: boolean): Cell | null {
    const { buffered: bytes, delimiter } = this;
    let at = start;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === delimiter || byte === lf || byte === cr) break;
    }
    if (at === bytes.length && !this.hasEnded) return null;
    return { end: at, text: isKept ? this.buffered.toString('utf8', start, at) : '' };
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
    const feed = this.nextFeed(start);
    // Searched only up to the line feed: to the end of the buffer would be quadratic for many short lines.
    const carriageReturn = this.buffered.subarray(start, feed === -1 ? undefined : feed).indexOf(cr);
    if (carriageReturn !== -1) return this.afterLine(start + carriageReturn);
    return feed === -1 ? null : feed + 1;
  }

  private nextFeed(start: number): number {
    if (start < this.noFeed.from || start > this.noFeed.to) {
      const found = this.buffered.indexOf(lf, start);
      this.noFeed = { from: start, to: found === -1 ? this.buffered.length : found };
    }
    return this.noFeed.to < this.buffered.length ? this.noFeed.to : -1;
  }

  /** A CR alone ends a line, too; as the last byte it may be the first half of CRLF. */
  private afterLine(at: number): number | null {
    if (at === this.buffered.length) return this.hasEnded ? at : null;
    if (this.buffered[at] === lf) return at + 1;
    if (at + 1 === this.buffered.length && !this.hasEnded) return null;
    return this.buffered[at + 1] === lf ? at + 2 : at + 1;
  }
}

/** Each pair of quotes stands for one. A million of them would take `replaceAll` a tenth of a second. */
function withoutPairs(quoted: Buffer): Buffer {
  if (!quoted.includes(quote)) return quoted;
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
