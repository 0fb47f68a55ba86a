import { importReportColumns } from '@posthorn/contracts';
import { CsvReader, type CsvRow } from '@posthorn/csv';
import { usableFieldName } from '../contacts/field-name.js';

export type ColumnField = 'email' | 'subscribed' | 'customFields' | { customField: string } | null;

export interface ImportLayout {
  delimiter: string;
  columns: readonly string[];
  fields: readonly ColumnField[];
  headed: boolean;
  /** Of the whole table, where it is another product's list of people who must not be mailed. */
  subscribed?: false;
}

export type ColumnMapping = ReadonlyMap<string, ColumnField>;

/** A header with all columns that a table may have is shorter; each delimiter reads it once. */
const maxFirstRow = 256 * 1024;
const delimiters = [',', ';', '\t', '|'] as const;
const addresslike = /^\s*'?[^\s@,;|]+@[^\s@,;|]+\s*$/;

const labelOf = (text: string): string => text.toLowerCase().replace(/[^a-z]/g, '');

/** Columns of Mailchimp's exports of unsubscribed and cleaned contacts. */
const unsubscribedColumns: ReadonlySet<string> = new Set(['UNSUB_TIME', 'CLEAN_TIME']);
/** The header of listmonk's export, which calls custom fields attributes. */
const listmonkColumns = ['uuid', 'email', 'name', 'attributes', 'status'];

const knownColumns: Readonly<Record<string, ColumnField>> = {
  email: 'email',
  mail: 'email',
  emailaddress: 'email',
  subscribed: 'subscribed',
  customfields: 'customFields',
  id: null,
  createdat: null,
  updatedat: null,
};

export function layoutOf(head: Buffer, mapping: ColumnMapping = new Map()): ImportLayout | null {
  const rows = delimiters.map((delimiter) => ({ delimiter, cells: firstRow(head, delimiter)?.cells ?? [] }));
  // The delimiter that finds the most cells in the first row; the more common one of equals.
  const { delimiter, cells } = rows.reduce((best, each) =>
    each.cells.length > best.cells.length ? each : best,
  );
  const columns = cells.map((cell) => cell.trim());
  const fields = fieldsOf(columns, mapping);
  if (fields.includes('email')) {
    const isUnsubscribed = columns.some((column) => unsubscribedColumns.has(column));
    return { delimiter, columns, fields, headed: true, ...(isUnsubscribed ? { subscribed: false } : {}) };
  }
  const emailIndex = cells.findIndex((cell) => addresslike.test(cell));
  if (emailIndex === -1) return null;
  return {
    delimiter,
    columns: [],
    fields: cells.map((_, index) => (index === emailIndex ? 'email' : null)),
    headed: false,
  };
}

export function firstRow(head: Buffer, delimiter: string): CsvRow | null {
  const reader = new CsvReader({ delimiter });
  for (const row of reader.push(head.subarray(0, maxFirstRow))) return row;
  if (head.length <= maxFirstRow) for (const row of reader.end()) return row;
  return null;
}

/** The header of the table, or one that would be read as the same layout. */
export const headerOf = ({ headed, columns, fields }: ImportLayout): string[] =>
  headed ? [...columns] : fields.map((field) => nameOfField(field) ?? '');

export function nameOfField(field: ColumnField): string | null {
  if (field === null) return null;
  if (field === 'customFields') return 'custom_fields';
  return typeof field === 'string' ? field : `custom_fields.${field.customField}`;
}

export function fieldNamed(name: unknown): ColumnField | undefined {
  if (name === null) return null;
  if (name === 'email' || name === 'subscribed') return name;
  if (name === 'custom_fields' || name === 'customFields') return 'customFields';
  const [, customField] =
    /^(?:custom_fields|customFields|data)\.(.{1,255})$/.exec(typeof name === 'string' ? name : '') ?? [];
  return customField === undefined ? undefined : { customField };
}

/** The mapping takes precedence, then the first column of a name. Columns with other names are custom fields. */
function fieldsOf(columns: readonly string[], mapping: ColumnMapping): ColumnField[] {
  const taken = new Set<string>();
  const take = (field: ColumnField): ColumnField => {
    const name = JSON.stringify(field);
    if (field === null || taken.has(name)) return null;
    taken.add(name);
    return field;
  };
  // An error report that was corrected and is imported again begins with the report's own columns.
  const reportColumns = importReportColumns.every((name, index) => columns[index] === name)
    ? importReportColumns.length
    : 0;
  const isListmonk = listmonkColumns.every((name, index) => columns[index] === name);
  const mapped = columns.map((column) => (mapping.has(column) ? take(mapping.get(column)!) : undefined));
  return columns.map((column, index) => {
    const field = mapped[index];
    if (field !== undefined) return field;
    if (index < reportColumns) return null;
    if (isListmonk && Object.hasOwn(listmonkFields, column)) return take(listmonkFields[column]!);
    return guessed(column, columns, take);
  });
}

const listmonkFields: Readonly<Record<string, ColumnField>> = {
  uuid: null,
  attributes: 'customFields',
  status: 'subscribed',
};

function guessed(
  column: string,
  columns: readonly string[],
  take: (field: ColumnField) => ColumnField,
): ColumnField {
  const label = labelOf(column);
  if (Object.hasOwn(knownColumns, label)) return take(knownColumns[label]!);
  if (column === '') return null;
  const name = usableName(column);
  if (name === column) return take({ customField: name });
  // Another column may have the same usable name.
  for (let count = 1; ; count += 1) {
    const customField = count === 1 ? name : `${name}_${count}`;
    const field = columns.includes(customField) ? null : take({ customField });
    if (field) return field;
  }
}

/** A name that conditions of segments accept, such as first_name for "First Name". */
function usableName(column: string): string {
  if (usableFieldName.test(column)) return column;
  const name = column
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[^a-z0-9_]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return name === '' ? column : name;
}
