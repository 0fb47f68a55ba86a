import { importReportColumns, type ImportedStatus } from '@posthorn/contracts';
import { csvTableOf } from '@posthorn/csv';
import { usableFieldName } from '../../contacts/writes/custom-fields.js';
import { labelOf, type StatusReading } from './import-status.js';

export type ColumnField =
  'email' | 'customFields' | { customField: string; given?: true } | { status: StatusReading } | null;

export interface ImportLayout {
  delimiter: string;
  columns: readonly string[];
  fields: readonly ColumnField[];
  headed: boolean;
  /** Where the table begins, after a line that only names the delimiter. */
  start: number;
  /** Of the whole table, where it is another product's list of people who must not be mailed. */
  status?: ImportedStatus;
}

export type ColumnMapping = ReadonlyMap<string, ColumnField>;

const addresslike = /^\s*'?[^\s@,;|]+@[^\s@,;|]+\s*$/;

/** Columns of Mailchimp's exports of unsubscribed and cleaned contacts. */
const statusOfTables: Readonly<Record<string, ImportedStatus>> = {
  UNSUB_TIME: 'UNSUBSCRIBED',
  CLEAN_TIME: 'BOUNCED',
};
/** A flag of people who agreed. */
const subscribed: ColumnField = { status: { kind: 'AGREED', means: 'UNSUBSCRIBED' } };
/** The header of listmonk's export, which calls custom fields attributes. */
const listmonkColumns = ['uuid', 'email', 'name', 'attributes', 'status'];

const knownColumns: Readonly<Record<string, ColumnField>> = {
  email: 'email',
  mail: 'email',
  emailaddress: 'email',
  subscribed,
  customfields: 'customFields',
  id: null,
  createdat: null,
  updatedat: null,
};

/** Of the first row alone; `withStatuses` looks at the values, too. */
export function layoutOf(head: Buffer, mapping: ColumnMapping = new Map()): ImportLayout | null {
  const { delimiter, start, first } = csvTableOf(head);
  const cells = first?.cells ?? [];
  const columns = cells.map((cell) => cell.trim());
  const fields = fieldsOf(columns, mapping);
  if (fields.includes('email')) {
    const ofTable = columns.find((column) => Object.hasOwn(statusOfTables, column));
    const status = ofTable === undefined ? {} : { status: statusOfTables[ofTable] };
    return { delimiter, columns, fields, headed: true, start, ...status };
  }
  const emailIndex = cells.findIndex((cell) => addresslike.test(cell));
  if (emailIndex === -1) return null;
  return {
    delimiter,
    columns: [],
    fields: cells.map((_, index) => (index === emailIndex ? 'email' : null)),
    headed: false,
    start,
  };
}

/** Imports that the release before has begun: its layouts had no start, and a flag instead of a status. */
export function currentLayout(stored: ImportLayout & { subscribed?: false }): ImportLayout {
  const { subscribed: flag, ...layout } = stored;
  const fields = (layout.fields as readonly (ColumnField | 'subscribed')[]).map((field) =>
    field === 'subscribed' ? subscribed : field,
  );
  return {
    ...layout,
    ...(flag === false ? { status: 'UNSUBSCRIBED' } : {}),
    fields,
    start: layout.start ?? 0,
  };
}

/** Where a reader of the table begins. */
export const startOf = ({ start }: ImportLayout): { from: number; lines: number } => ({
  from: start,
  lines: start > 0 ? 1 : 0,
});

/** The header of the table, or one that would be read as the same layout. */
export const headerOf = ({ headed, columns, fields }: ImportLayout): string[] =>
  headed ? [...columns] : fields.map((field) => nameOfField(field) ?? '');

export function nameOfField(field: ColumnField): string | null {
  if (field === null) return null;
  if (field === 'customFields') return 'custom_fields';
  if (typeof field === 'string') return field;
  return 'status' in field ? 'status' : `custom_fields.${field.customField}`;
}

export function fieldNamed(name: unknown): ColumnField | undefined {
  if (name === null) return null;
  if (name === 'email') return name;
  if (name === 'subscribed') return subscribed;
  if (name === 'custom_fields' || name === 'customFields') return 'customFields';
  const [, customField] =
    /^(?:custom_fields|customFields|data)\.(.{1,255})$/.exec(typeof name === 'string' ? name : '') ?? [];
  return customField === undefined ? undefined : { customField, given: true };
}

/** The mapping takes precedence, then the first column of a name. Columns with other names are custom fields. */
function fieldsOf(columns: readonly string[], mapping: ColumnMapping): ColumnField[] {
  const taken = new Set<string>();
  const take = (field: ColumnField): ColumnField => {
    const name = nameOfField(field);
    if (name === null || taken.has(name)) return null;
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
