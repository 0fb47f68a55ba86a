import { CsvReader, type CsvRow } from './csv-reader.js';

export interface CsvTable {
  delimiter: string;
  /** Offset of the first row, after a line that only names the delimiter. */
  start: number;
  first: CsvRow | null;
}

/** A header with all columns that a table may have is shorter; each delimiter reads it once. */
export const maxFirstRow = 256 * 1024;
const delimiters = [',', ';', '\t', '|'] as const;

/** How a table is written, by its beginning: as it declares, or by the delimiter that finds the most cells in the first row. */
export function csvTableOf(head: Buffer): CsvTable {
  const declared = declaredDelimiter(head);
  const start = declared?.end ?? 0;
  const rows = (declared ? [declared.delimiter] : delimiters).map((delimiter) => ({
    delimiter,
    start,
    first: firstRow(head.subarray(start), delimiter),
  }));
  // The more common one of equals.
  return rows.reduce((best, each) => (cellsOf(each) > cellsOf(best) ? each : best));
}

const cellsOf = ({ first }: CsvTable): number =>
  first?.fault === 'too_many_columns' ? Infinity : (first?.cells.length ?? 0);

/** A first line `sep=;`, which tells spreadsheets the delimiter and is no row. */
function declaredDelimiter(head: Buffer): { delimiter: string; end: number } | null {
  const found = /^\ufeff?(?:sep=([,;\t|])|"sep=([,;\t|])")[,;\t| ]*(?:\r\n|\n|\r)/i.exec(
    head.subarray(0, 64).toString('utf8'),
  );
  return found ? { delimiter: (found[1] ?? found[2])!, end: Buffer.byteLength(found[0]) } : null;
}

function firstRow(head: Buffer, delimiter: string): CsvRow | null {
  const reader = new CsvReader({ delimiter });
  for (const row of reader.push(head.subarray(0, maxFirstRow))) return row;
  if (head.length <= maxFirstRow) for (const row of reader.end()) return row;
  return null;
}
