import { CsvReader } from './csv-reader.js';

/** What a column of a table says of a contact; null is passed over. */
export type ColumnField = 'email' | 'subscribed' | 'customFields' | { customField: string } | null;

export interface ImportLayout {
  delimiter: string;
  /** As the header calls them; a table without one has none. */
  columns: readonly string[];
  fields: readonly ColumnField[];
  /** The first row is none of the data. */
  headed: boolean;
}

const delimiters = [',', ';', '\t', '|'] as const;
const addresslike = /^\s*'?[^\s@,;|]+@[^\s@,;|]+\s*$/;

/** Blanks, lines and case say nothing. */
const wordOf = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');

/** As exports of others call what we know, and what our own says beside it. */
const known: Readonly<Record<string, ColumnField>> = {
  email: 'email',
  mail: 'email',
  emailaddress: 'email',
  subscribed: 'subscribed',
  customfields: 'customFields',
  id: null,
  createdat: null,
  updatedat: null,
};

/** By the first row of the table; null where no column holds addresses. */
export function layoutOf(head: Buffer): ImportLayout | null {
  const rows = delimiters.map((delimiter) => ({ delimiter, cells: firstRow(head, delimiter) }));
  // The delimiter that makes the most of the first row; among equals the more usual one.
  const { delimiter, cells } = rows.reduce((best, each) => (each.cells.length > best.cells.length ? each : best));
  const fields = fieldsOf(cells);
  if (fields.includes('email')) return { delimiter, columns: cells, fields, headed: true };
  const at = cells.findIndex((cell) => addresslike.test(cell));
  if (at === -1) return null;
  return { delimiter, columns: [], fields: cells.map((_, place) => (place === at ? 'email' : null)), headed: false };
}

function firstRow(head: Buffer, delimiter: string): string[] {
  const reader = new CsvReader({ delimiter });
  for (const { cells } of reader.push(head)) return cells;
  for (const { cells } of reader.end()) return cells;
  return [];
}

/** The first column of a name counts; whatever has a name that is none of ours is a custom field. */
function fieldsOf(columns: readonly string[]): ColumnField[] {
  const taken = new Set<string>();
  return columns.map((column) => {
    const word = wordOf(column);
    const field = Object.hasOwn(known, word) ? known[word]! : column.trim() === '' ? null : { customField: column.trim() };
    const name = JSON.stringify(field);
    if (field === null || taken.has(name)) return null;
    taken.add(name);
    return field;
  });
}
