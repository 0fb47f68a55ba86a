import { setImmediate } from 'node:timers/promises';
import {
  csvUnreadable,
  normaliseAddress,
  suppressionReasons,
  type SuppressionReason,
} from '@posthorn/contracts';
import { csvTableOf, CsvReader, maxFirstRow, type CsvRow } from '@posthorn/csv';

/** Null for a row without a valid address and reason. */
export type ImportRow = { email: string; reason: SuppressionReason } | null;

interface Layout {
  email: number;
  reasonOf: (cells: readonly string[]) => SuppressionReason | null;
  headed: boolean;
}

const labelOf = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');

const reasons: Readonly<Record<string, SuppressionReason>> = {
  ...Object.fromEntries(suppressionReasons.map((reason) => [labelOf(reason), reason])),
  '': 'MANUAL',
  bounce: 'HARD_BOUNCE',
  spamcomplaint: 'COMPLAINT',
  manualsuppression: 'MANUAL',
};

/** Known headers: our own and the exports of two hosted providers, of which one has the server's answer as `reason`. */
const formats: readonly {
  columns: readonly string[];
  email: string;
  reason: string | null;
  always?: SuppressionReason;
}[] = [
  { columns: ['emailaddress', 'suppressionreason'], email: 'emailaddress', reason: 'suppressionreason' },
  { columns: ['email', 'status', 'reason'], email: 'email', reason: null, always: 'HARD_BOUNCE' },
  { columns: ['email', 'reason'], email: 'email', reason: 'reason' },
  { columns: ['email'], email: 'email', reason: null, always: 'MANUAL' },
];

const pieceBytes = 64 * 1024;

export class ListUnreadable extends Error {
  override readonly name = 'ListUnreadable';
}

/** Reads in pieces, with other work between them; throws at a malformed row, after the rows before it. */
export async function* importRows(csv: string): AsyncGenerator<ImportRow> {
  const layout = layoutOf(csv);
  let isHeader = layout.headed;
  for (const rows of readPieces(csv)) {
    for (const { cells, fault, line } of rows) {
      if (fault === 'quote' || fault === 'too_long')
        throw new ListUnreadable(
          `line ${line} ${fault === 'quote' ? 'has a misplaced or unclosed quote' : 'is too long'}`,
        );
      if (!isHeader) yield fault ? null : rowOf(layout, cells);
      isHeader = false;
    }
    await setImmediate();
  }
}

function* readPieces(csv: string): Generator<Iterable<CsvRow>> {
  const bytes = bytesOf(csv);
  const { delimiter, start } = csvTableOf(bytes);
  const reader = new CsvReader({ delimiter, from: start, lines: start > 0 ? 1 : 0 });
  for (let at = start; at < bytes.length; at += pieceBytes)
    yield reader.push(bytes.subarray(at, at + pieceBytes));
  yield reader.end();
}

const bytesOf = (csv: string): Buffer => Buffer.from(csv.replace(/^\ufeff/, ''));

/** From the first row; a list without a header begins with an address. */
export function layoutOf(csv: string): Layout {
  // The rest is not looked at, since this is read while a user waits.
  const { first } = csvTableOf(bytesOf(csv.slice(0, maxFirstRow)));
  if (first?.fault) throw csvUnreadable('has a first row that is malformed');
  const cells = first?.cells ?? [];
  const labels = cells.map(labelOf);
  const format = formats.find(({ columns }) => columns.every((column) => labels.includes(column)));
  if (format) {
    const index = format.reason === null ? -1 : labels.indexOf(format.reason);
    return {
      headed: true,
      email: labels.indexOf(format.email),
      reasonOf: (row) => format.always ?? readReason(row[index]),
    };
  }
  if (readAddress(cells[0]) === null) throw csvUnreadable('needs a column email');
  return { headed: false, email: 0, reasonOf: (row) => readReason(row[1]) };
}

function rowOf({ email: index, reasonOf }: Layout, cells: readonly string[]): ImportRow {
  const email = readAddress(cells[index]);
  const reason = reasonOf(cells);
  return email !== null && reason !== null ? { email, reason } : null;
}

const readReason = (text = ''): SuppressionReason | null =>
  Object.hasOwn(reasons, labelOf(text)) ? reasons[labelOf(text)]! : null;

/** Without the apostrophe by which our export keeps spreadsheets from reading a cell as a formula. */
const readAddress = (text = ''): string | null => normaliseAddress(text.trim().replace(/^'(?=[=+\-@])/, ''));
