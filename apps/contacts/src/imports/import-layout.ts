import { importReportColumns } from '@posthorn/contracts';
import { CsvReader, type CsvRow } from './csv-reader.js';

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

/** What columns are, by their names, where somebody says so. */
export type ColumnMapping = ReadonlyMap<string, ColumnField>;

const delimiters = [',', ';', '\t', '|'] as const;
const addresslike = /^\s*'?[^\s@,;|]+@[^\s@,;|]+\s*$/;

/** Blanks, lines and case say nothing. */
const labelOf = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');

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
export function layoutOf(head: Buffer, mapping: ColumnMapping = new Map()): ImportLayout | null {
  const rows = delimiters.map((delimiter) => ({ delimiter, cells: firstRow(head, delimiter)?.cells ?? [] }));
  // The delimiter that makes the most of the first row; among equals the more usual one.
  const { delimiter, cells } = rows.reduce((best, each) =>
    each.cells.length > best.cells.length ? each : best,
  );
  const columns = cells.map((cell) => cell.trim());
  const fields = fieldsOf(columns, mapping);
  if (fields.includes('email')) return { delimiter, columns, fields, headed: true };
  const at = cells.findIndex((cell) => addresslike.test(cell));
  if (at === -1) return null;
  return {
    delimiter,
    columns: [],
    fields: cells.map((_, index) => (index === at ? 'email' : null)),
    headed: false,
  };
}

/** Null where there is none. */
export function firstRow(head: Buffer, delimiter: string): CsvRow | null {
  const reader = new CsvReader({ delimiter });
  for (const row of reader.push(head)) return row;
  for (const row of reader.end()) return row;
  return null;
}

/** What stands above the columns, or would: such a header is read as the same layout. */
export const headerOf = ({ headed, columns, fields }: ImportLayout): string[] =>
  headed ? [...columns] : fields.map((field) => nameOfField(field) ?? '');

/** As the API calls a field. */
export function nameOfField(field: ColumnField): string | null {
  if (field === null) return null;
  if (field === 'customFields') return 'custom_fields';
  return typeof field === 'string' ? field : `custom_fields.${field.customField}`;
}

/** Undefined for what is none. */
export function fieldNamed(name: unknown): ColumnField | undefined {
  if (name === null) return null;
  if (name === 'email' || name === 'subscribed') return name;
  if (name === 'custom_fields' || name === 'customFields') return 'customFields';
  const [, customField] =
    /^(?:custom_fields|customFields|data)\.(.{1,255})$/.exec(typeof name === 'string' ? name : '') ?? [];
  return customField === undefined ? undefined : { customField };
}

/** What was said of columns counts first, then the first column of a name; whatever has a name that is none of ours is a custom field. */
function fieldsOf(columns: readonly string[], mapping: ColumnMapping): ColumnField[] {
  const taken = new Set<string>();
  const take = (field: ColumnField): ColumnField => {
    const name = JSON.stringify(field);
    if (field === null || taken.has(name)) return null;
    taken.add(name);
    return field;
  };
  const ofReport = importReportColumns.every((name, index) => columns[index] === name)
    ? importReportColumns.length
    : 0;
  const text = columns.map((column) => (mapping.has(column) ? take(mapping.get(column)!) : undefined));
  return columns.map((column, index) => {
    const field = text[index];
    return field === undefined ? take(index < ofReport ? null : guessed(column)) : field;
  });
}

function guessed(column: string): ColumnField {
  const text = labelOf(column);
  if (Object.hasOwn(known, text)) return known[text]!;
  return column === '' ? null : { customField: column };
}
