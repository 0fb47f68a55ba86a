import { setImmediate } from 'node:timers/promises';
import {
  boundedText,
  csvUnreadable,
  normaliseAddress,
  suppressionReasons,
  type SuppressionReason,
} from '@posthorn/contracts';
import { parse, type Parser } from 'csv-parse';
import { parse as parseAtOnce } from 'csv-parse/sync';

/** What one row asks for; null for one that cannot be read. */
export type ImportRow = { email: string; reason: SuppressionReason } | null;

/** Which cell of a row says what. */
interface Layout {
  email: number;
  reasonOf: (cells: readonly string[]) => SuppressionReason | null;
  /** The first row is none of the data. */
  headed: boolean;
}

/** As exports call them: blanks, lines and case say nothing. */
const labelOf = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');

const reasons: Readonly<Record<string, SuppressionReason>> = {
  ...Object.fromEntries(suppressionReasons.map((reason) => [labelOf(reason), reason])),
  '': 'MANUAL',
  bounce: 'HARD_BOUNCE',
  spamcomplaint: 'COMPLAINT',
  manualsuppression: 'MANUAL',
};

/** Headers that tell a format: the plain one, and what two hosted providers export. What follows a bounce is the server's words. */
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

const reading = {
  bom: true,
  relax_column_count: true,
  skip_empty_lines: true,
  trim: true,
  max_record_size: 64 * 1024,
} as const;
const pieceLength = 64 * 1024;
const maxColumns = 100;

/** The rows of a list, read piece by piece, so that a long one keeps nobody waiting; those before a fault come before it is thrown. */
export async function* importRows(csv: string): AsyncGenerator<ImportRow> {
  const layout = layoutOf(csv);
  let rows: ImportRow[] = [];
  // Taken from it at once: a stream that fails drops what it still held.
  const on_record = (cells: string[]): undefined => {
    rows.push(rowOf(layout, cells));
  };
  const parser = parse({ ...reading, from: layout.headed ? 2 : 1, on_record });
  parser.on('error', () => undefined);
  for (let at = 0; at < csv.length; at += pieceLength) {
    const fault = await feed(parser, csv.slice(at, at + pieceLength), at + pieceLength >= csv.length);
    yield* rows;
    rows = [];
    if (fault) throw fault;
    await setImmediate();
  }
}

const feed = (parser: Parser, piece: string, isLast: boolean): Promise<Error | null> =>
  new Promise((fed) => {
    const published = (fault?: Error | null) => fed(fault ?? null);
    if (isLast) parser.end(piece, published);
    else parser.write(piece, published);
  });

/** By its first row; a list without a header begins with an address. */
export function layoutOf(csv: string): Layout {
  const [first = []] = firstRow(csv);
  const texts = first.slice(0, maxColumns).map(labelOf);
  const format = formats.find(({ columns }) => columns.every((column) => texts.includes(column)));
  if (format) {
    const index = format.reason === null ? -1 : texts.indexOf(format.reason);
    return {
      headed: true,
      email: texts.indexOf(format.email),
      reasonOf: (cells) => format.always ?? readReason(cells[index]),
    };
  }
  if (readAddress(first[0]) === null) throw csvUnreadable('needs a column email');
  return { headed: false, email: 0, reasonOf: (cells) => readReason(cells[1]) };
}

function firstRow(csv: string): string[][] {
  try {
    return parseAtOnce(csv.slice(0, pieceLength), { ...reading, to: 1 });
  } catch (error) {
    throw csvUnreadable(`is no CSV: ${boundedText((error as Error).message, 200)}`);
  }
}

function rowOf({ email: index, reasonOf }: Layout, cells: readonly string[]): ImportRow {
  const email = readAddress(cells[index]);
  const reason = reasonOf(cells);
  return email !== null && reason !== null ? { email, reason } : null;
}

const readReason = (text = ''): SuppressionReason | null =>
  Object.hasOwn(reasons, labelOf(text)) ? reasons[labelOf(text)]! : null;

/** An apostrophe that keeps a table from computing is none of the address's: our own export writes it. */
const readAddress = (text = ''): string | null => normaliseAddress(text.replace(/^'(?=[=+\-@])/, ''));
