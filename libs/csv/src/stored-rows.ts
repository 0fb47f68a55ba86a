import { importPieceBytes } from '@posthorn/contracts';
import { CsvReader, type CsvRow } from './csv-reader.js';

const [lf, cr] = [0x0a, 0x0d];

export interface StoredTable {
  delimiter: string;
  /** Where the table begins, after a line that only names the delimiter. */
  start: number;
  headed: boolean;
  /** Offset and number of the first line that is not read yet. */
  position: number;
  line: number;
}

/** The rows of a table that is stored in pieces, from its position on and without its header. */
export async function* storedRows(
  { delimiter, start, headed, position, line }: StoredTable,
  pieceAt: (index: number) => Promise<Buffer | null>,
): AsyncGenerator<Iterable<CsvRow>> {
  const reader = new CsvReader({ delimiter, from: position, lines: line });
  let header = headed && position === start;
  let skipped = position % importPieceBytes;
  for (let index = Math.floor(position / importPieceBytes); ; index += 1) {
    const bytes = await pieceAt(index);
    if (!bytes) break;
    const rows = reader.push(bytes.subarray(skipped));
    yield header ? withoutFirst(rows) : rows;
    header = false;
    skipped = 0;
  }
  yield reader.end();
}

function* withoutFirst(rows: Generator<CsvRow>): Generator<CsvRow> {
  rows.next();
  yield* rows;
}

/** An estimate for the progress, of one piece: quoted cells may contain line breaks. The last line may have no end. */
export function linesIn(bytes: Buffer, last: boolean): number {
  const counted = bytes.includes(lf) ? lf : cr;
  const end = bytes.at(-1);
  let count = last && end !== undefined && end !== lf && end !== cr ? 1 : 0;
  for (let at = bytes.indexOf(counted); at !== -1; at = bytes.indexOf(counted, at + 1)) count += 1;
  return count;
}
