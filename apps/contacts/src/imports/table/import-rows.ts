import {
  checkField,
  Contact,
  maxImportColumns,
  normaliseAddress,
  type ImportedStatus,
} from '@posthorn/contracts';
import type { CsvRow, RowFault } from '@posthorn/csv';
import type { CustomFields } from '../../contacts/writes/custom-fields.js';
import type { ImportLayout } from './import-layout.js';
import { objectOf } from './json-object.js';
import { graver, statusOf, tellsOfLeaving, type StatusReading } from './import-status.js';
import { valueOf } from './import-value.js';

export interface RowContact {
  email: string;
  /** Absent where the row does not say it. */
  status?: ImportedStatus;
  customFields: CustomFields;
}

export type ImportedRow = Pick<CsvRow, 'end' | 'line' | 'lines' | 'cells'> &
  ({ contact: RowContact; reason: null } | { contact: null; reason: string });

export const rowFaults: Readonly<Record<RowFault, string>> = {
  quote: 'has a misplaced or unclosed quote',
  too_long: 'is longer than 1 MiB',
  too_many_columns: `has more than ${maxImportColumns} columns`,
  invalid_text: 'contains NUL or bytes that are invalid in the encoding of the file',
};

/** Rows of up to so many characters are certainly within the limit of custom fields. */
const certainlySmall = 8_192;

/** Removes the apostrophe by which our export keeps spreadsheets from reading a cell as a formula. */
const unescaped = (cell: string): string => cell.replace(/^'(?=[=+\-@\t\r])/, '');

export function readRow(row: CsvRow, layout: ImportLayout): ImportedRow {
  const { end, line, lines, cells } = row;
  const read = row.fault ? rowFaults[row.fault] : contactOf(row.cells, layout);
  const source = { end, line, lines, cells };
  return typeof read === 'string'
    ? { ...source, contact: null, reason: read }
    : { ...source, contact: read, reason: null };
}

function contactOf(cells: readonly string[], { fields, headed, status }: ImportLayout): RowContact | string {
  if (headed && cells.length > fields.length) return 'has more cells than the header';
  const contact: RowContact = {
    email: '',
    customFields: {},
    ...(status === undefined ? {} : { status }),
  };
  let size = 0;
  for (const [index, cell] of cells.entries()) {
    size += cell.length;
    const reason = readCell(contact, fields[index] ?? null, unescaped(cell));
    if (reason) return reason;
  }
  const leaving = status === undefined && !fields.some(isStatus) ? leavingIn(cells, fields) : null;
  if (leaving !== null) return `has a value that seems to say that this person left: ${leaving}`;
  if (contact.email === '') return 'has no address';
  if (size <= certainlySmall && !fields.includes('customFields')) return contact;
  const failure = checkField(Contact, 'customFields', contact.customFields);
  return failure ? `has custom fields that ${failure.message}` : contact;
}

const isStatus = (field: ImportLayout['fields'][number]): boolean =>
  typeof field === 'object' && field !== null && 'status' in field;

/** In a table whose beginning tells of no statuses; a column that was assigned by the caller is what the caller says. */
const leavingIn = (cells: readonly string[], fields: ImportLayout['fields']): string | null =>
  cells.find((cell, index) => {
    const field = fields[index];
    return (
      typeof field === 'object' &&
      field !== null &&
      'customField' in field &&
      !field.given &&
      tellsOfLeaving(cell)
    );
  }) ?? null;

function readCell(contact: RowContact, field: ImportLayout['fields'][number], cell: string): string | null {
  if (field === null) return null;
  if (field === 'email') {
    const email = normaliseAddress(cell);
    if (email === null) return cell.trim() === '' ? 'has no address' : 'has no valid address';
    contact.email = email;
  } else if (field === 'customFields') {
    return readFields(contact, cell);
  } else if ('status' in field) {
    return readStatus(contact, field.status, cell);
  } else {
    const value = valueOf(cell);
    if (value !== null) contact.customFields[field.customField] = value;
  }
  return null;
}

/** Nobody is subscribed by a guess: a row whose status is not understood is reported. */
function readStatus(contact: RowContact, reading: StatusReading, cell: string): string | null {
  const status = statusOf(reading, cell);
  if (status === null) return `has a status that is not understood: ${cell.trim().slice(0, 80)}`;
  const worst = graver(contact.status, status);
  if (worst !== undefined) contact.status = worst;
  return null;
}

/** A field with a column of its own takes precedence over a member of the object. */
function readFields(contact: RowContact, cell: string): string | null {
  if (cell.trim() === '') return null;
  const fields = objectOf(cell);
  if (!fields) return 'has custom fields that are not a JSON object';
  const fault = faultOf(fields);
  if (fault) return `has custom fields that ${fault}`;
  contact.customFields = { ...fields, ...contact.customFields };
  return null;
}

/** Values that are valid JSON but must not be stored (docs/guarantees.md §1.5). */
function faultOf(value: unknown, depth = 1): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'contain a number that is too large';
  if (typeof value === 'string')
    return value.isWellFormed() && !value.includes('\0') ? null : 'contain NUL or a lone surrogate';
  if (typeof value !== 'object' || value === null) return null;
  if (depth > 5) return 'are nested deeper than 5';
  for (const [name, member] of Object.entries(value)) {
    if (name === '__proto__') return 'have a member __proto__';
    const fault = faultOf(name, depth) ?? faultOf(member, depth + 1);
    if (fault) return fault;
  }
  return null;
}
