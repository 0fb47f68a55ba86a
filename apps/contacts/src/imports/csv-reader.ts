import { isUtf8 } from 'node:buffer';
import { maxImportColumns } from '@posthorn/contracts';

/** Why a row cannot be read; the others can. */
export type RowFault = 'quote' | 'too_long' | 'too_many_columns' | 'invalid_text';

export interface CsvRow {
  /** Of the byte behind it, counted from the beginning of the file: reading can go on from there. */
  end: number;
  /** In which it begins, from 1 on. */
  line: number;
  /** How many lines there are up to `end`. */
  lines: number;
  /** Empty where there is a fault. */
  cells: string[];
  fault: RowFault | null;
}

interface CsvReaderOptions {
  /** One character. */
  delimiter: string;
  /** Where the first byte that is pushed stands in its file. */
  from?: number;
  /** How many lines are before it. */
  lines?: number;
}

interface Scanned {
  /** In the buffer. */
  end: number;
  cells: string[];
  fault: RowFault | null;
}

const [quote, lf, cr] = [0x22, 0x0a, 0x0d];
export const maxRow = 1024 * 1024;

/**
 * RFC 4180 over UTF-8, piece by piece. A quote that stands wrong, or that never ends, costs the line that it stands in: reading goes
 * on with the next one. No more than the longest row and one piece is held.
 */
export class CsvReader {
  private held: Buffer = Buffer.alloc(0);
  private at: number;
  private lines: number;
  /** The rest of a row that is too long is passed over. */
  private skipping = false;
  /** Nothing comes any more. */
  private isWhole = false;
  private readonly delimiter: number;

  constructor({ delimiter, from = 0, lines = 0 }: CsvReaderOptions) {
    this.delimiter = delimiter.charCodeAt(0);
    this.at = from;
    this.lines = lines;
  }

  *push(bytes: Buffer): Generator<CsvRow> {
    this.held = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes]);
    yield* this.rows();
  }

  *end(): Generator<CsvRow> {
    this.isWhole = true;
    yield* this.rows();
    // Of one that was passed over nothing is held.
    if (this.skipping)
      yield { end: this.at, line: this.lines + 1, lines: this.lines + 1, cells: [], fault: 'too_long' };
  }

  private *rows(): Generator<CsvRow> {
    let start = 0;
    while (start < this.held.length) {
      const scanned = this.skipping ? this.skip(start) : this.scan(start);
      if (!scanned) break;
      const { end, cells, fault } = scanned;
      const isEmpty = fault === null && cells.length === 1 && cells[0] === '' && this.held[start] !== quote;
      const line = this.lines + 1;
      this.lines += this.linesWithin(start, end);
      start = end;
      if (!isEmpty) yield { end: this.at + end, line, lines: this.lines, cells, fault };
    }
    this.at += start;
    this.held = this.held.subarray(start);
  }

  /** Null where the row does not end in what is there. */
  private scan(start: number): Scanned | null {
    const row = this.row(start);
    if (row) return row.end - start > maxRow ? { end: row.end, cells: [], fault: 'too_long' } : row;
    if (this.held.length - start <= maxRow) return this.isWhole ? this.line(start, 'quote') : null;
    // A quote that never ends is found out here, as is a line of many megabytes.
    const line = this.lineEnd(start);
    if (line !== null && line - start <= maxRow) return this.line(start, 'quote');
    this.skipping = true;
    return this.skip(start);
  }

  private skip(start: number): Scanned | null {
    const end = this.lineEnd(start) ?? (this.isWhole ? this.held.length : null);
    if (end === null) {
      // Nothing of it is wanted any more.
      this.at += this.held.length - start;
      this.held = this.held.subarray(0, start);
      return null;
    }
    this.skipping = false;
    return { end, cells: [], fault: 'too_long' };
  }

  private line(start: number, fault: RowFault): Scanned {
    return { end: this.lineEnd(start) ?? this.held.length, cells: [], fault };
  }

  private row(start: number): Scanned | null {
    const cells: string[] = [];
    let at = start;
    for (;;) {
      const cell = this.held[at] === quote ? this.quoted(at) : this.plain(at);
      if (cell === null) return null;
      if (cell === 'broken')
        return this.lineEnd(start) === null && !this.isWhole ? null : this.line(start, 'quote');
      if (cells.length <= maxImportColumns) cells.push(cell.text);
      at = cell.end;
      if (this.held[at] !== this.delimiter) break;
      at += 1;
    }
    const end = this.afterLine(at);
    return end === null ? null : this.judged(start, end, cells);
  }

  private judged(start: number, end: number, cells: string[]): Scanned {
    const bytes = this.held.subarray(start, end);
    if (!isUtf8(bytes) || bytes.includes(0)) return { end, cells: [], fault: 'invalid_text' };
    if (cells.length > maxImportColumns) return { end, cells: [], fault: 'too_many_columns' };
    return { end, cells, fault: null };
  }

  /** A cell from its quote on; null where its end is not there yet. */
  private quoted(at: number): { end: number; text: string } | 'broken' | null {
    for (let from = at + 1; ;) {
      const found = this.held.indexOf(quote, from);
      if (found === -1) return null;
      if (this.held[found + 1] === quote) from = found + 2;
      else if (found + 1 === this.held.length) return this.isWhole ? this.unquoted(at, found) : null;
      else return this.isEnd(found + 1) ? this.unquoted(at, found) : 'broken';
    }
  }

  private unquoted(at: number, end: number): { end: number; text: string } {
    return { end: end + 1, text: this.held.toString('utf8', at + 1, end).replaceAll('""', '"') };
  }

  private plain(start: number): { end: number; text: string } | null {
    let at = start;
    while (at < this.held.length && !this.isEnd(at)) at += 1;
    if (at === this.held.length && !this.isWhole) return null;
    return { end: at, text: this.held.toString('utf8', start, at) };
  }

  private isEnd(at: number): boolean {
    const byte = this.held[at];
    return byte === this.delimiter || byte === lf || byte === cr;
  }

  /** A quoted cell may go over many. */
  private linesWithin(start: number, end: number): number {
    let count = 1;
    for (let at = this.lineEnd(start); at !== null && at < end; at = this.lineEnd(at)) count += 1;
    return count;
  }

  private lineEnd(start: number): number | null {
    const feed = this.held.indexOf(lf, start);
    // No further than the line: of many short ones each would be looked for to the end.
    const carriageReturn = this.held.subarray(start, feed === -1 ? undefined : feed).indexOf(cr);
    if (carriageReturn !== -1) return this.afterLine(start + carriageReturn);
    return feed === -1 ? null : feed + 1;
  }

  /** A CR alone ends a line, too; the last byte that is there may be the half of a pair. */
  private afterLine(at: number): number | null {
    if (at === this.held.length) return this.isWhole ? at : null;
    if (this.held[at] === lf) return at + 1;
    if (at + 1 === this.held.length && !this.isWhole) return null;
    return this.held[at + 1] === lf ? at + 2 : at + 1;
  }
}
