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

const [quote, lf, cr] = [0x22, 0x0a, 0x0d];
export const maxRow = 1024 * 1024;

/** RFC 4180 in UTF-8, in bounded memory. A misplaced or unclosed quote loses only its line. */
export class CsvReader {
  private buffered: Buffer = Buffer.alloc(0);
  private at: number;
  private lines: number;
  private skipping = false;
  private hasEnded = false;
  private readonly delimiter: number;

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
    let start = 0;
    while (start < this.buffered.length) {
      const scanned = this.skipping ? this.skip(start) : this.scan(start);
      if (!scanned) break;
      const { end, cells, fault } = scanned;
      const isEmpty =
        fault === null && cells.length === 1 && cells[0] === '' && this.buffered[start] !== quote;
      const line = this.lines + 1;
      this.lines += this.linesWithin(start, end);
      start = end;
      if (!isEmpty) yield { end: this.at + end, line, lines: this.lines, cells, fault };
    }
    this.at += start;
    this.buffered = this.buffered.subarray(start);
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
      const cell = this.buffered[at] === quote ? this.quoted(at) : this.plain(at);
      if (cell === null) return null;
      if (cell === 'broken')
        return this.lineEnd(start) === null && !this.hasEnded ? null : this.line(start, 'quote');
      if (cells.length <= maxColumns) cells.push(cell.text);
      at = cell.end;
      if (this.buffered[at] !== this.delimiter) break;
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

  private quoted(at: number): { end: number; text: string } | 'broken' | null {
    for (let from = at + 1; ;) {
      const found = this.buffered.indexOf(quote, from);
      if (found === -1) return null;
      if (this.buffered[found + 1] === quote) from = found + 2;
      else if (found + 1 === this.buffered.length) return this.hasEnded ? this.unquoted(at, found) : null;
      else return this.isEnd(found + 1) ? this.unquoted(at, found) : 'broken';
    }
  }

  private unquoted(at: number, end: number): { end: number; text: string } {
    return { end: end + 1, text: this.buffered.toString('utf8', at + 1, end).replaceAll('""', '"') };
  }

  private plain(start: number): { end: number; text: string } | null {
    let at = start;
    while (at < this.buffered.length && !this.isEnd(at)) at += 1;
    if (at === this.buffered.length && !this.hasEnded) return null;
    return { end: at, text: this.buffered.toString('utf8', start, at) };
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
    const feed = this.buffered.indexOf(lf, start);
    // Searched only up to the line feed: to the end of the buffer would be quadratic for many short lines.
    const carriageReturn = this.buffered.subarray(start, feed === -1 ? undefined : feed).indexOf(cr);
    if (carriageReturn !== -1) return this.afterLine(start + carriageReturn);
    return feed === -1 ? null : feed + 1;
  }

  /** A CR alone ends a line, too; as the last byte it may be the first half of CRLF. */
  private afterLine(at: number): number | null {
    if (at === this.buffered.length) return this.hasEnded ? at : null;
    if (this.buffered[at] === lf) return at + 1;
    if (at + 1 === this.buffered.length && !this.hasEnded) return null;
    return this.buffered[at + 1] === lf ? at + 2 : at + 1;
  }
}
