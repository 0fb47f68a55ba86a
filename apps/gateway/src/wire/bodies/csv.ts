import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import { bodyMissing, notUtf8 } from '../errors.js';
import { headerValues } from '../headers.js';

export type CsvCell = string | number | boolean | null;

const csvType = /^\s*text\/csv\s*(?:;|$)/i;

export const isCsv = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  csvType.test(headers['content-type'] ?? '');

export const wantsCsv = ({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean =>
  headerValues(rawHeaders, 'accept').some((accept) => csvType.test(accept));

export function readCsv(bytes: Buffer, member: string): object {
  if (bytes.length === 0) throw bodyMissing();
  if (!isUtf8(bytes)) throw notUtf8();
  return { [member]: bytes.toString('utf8') };
}

export class CsvTable {
  constructor(
    private readonly columns: readonly string[],
    private readonly pages: AsyncIterable<readonly (readonly CsvCell[])[]>,
  ) {}

  stream(): Readable {
    return Readable.from(this.texts());
  }

  private async *texts(): AsyncGenerator<string> {
    yield written([this.columns]);
    for await (const rows of this.pages) if (rows.length > 0) yield written(rows);
  }
}

/** Escapes formulas, which spreadsheets would run (docs/guarantees.md §6). */
const written = (rows: readonly (readonly CsvCell[])[]): string =>
  stringify(
    rows.map((row) => [...row]),
    { escape_formulas: true, record_delimiter: 'windows' },
  );
