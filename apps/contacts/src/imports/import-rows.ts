import { checkField, Contact, maxImportColumns, normaliseAddress } from '@posthorn/contracts';
import type { CustomFields } from '../contacts/writes/custom-fields.js';
import type { CsvRow, RowFault } from './csv-reader.js';
import type { ImportLayout } from './import-layout.js';
import { objectOf } from './json-object.js';
import { subscribedOf, valueOf } from './import-value.js';

/** What a row says of a contact. */
export interface RowContact {
  email: string;
  /** Absent where it says nothing of it. */
  subscribed?: boolean;
  customFields: CustomFields;
}

/** A row of the table: of a contact, or the reason why of none. */
export type ImportedRow = Pick<CsvRow, 'end' | 'line' | 'lines' | 'cells'> &
  ({ contact: RowContact; reason: null } | { contact: null; reason: string });

export const rowFaults: Readonly<Record<RowFault, string>> = {
  quote: 'has a quote that stands wrong, or never ends',
  too_long: 'is longer than 1 MiB',
  too_many_columns: `has more than ${maxImportColumns} columns`,
  invalid_text: 'holds NUL, or bytes that are no text in the encoding of the file',
};

/** Shorter ones fit, whatever is in them. */
const surelySmall = 8_192;

/** An apostrophe that keeps a table from computing is none of the value's: our own export writes it. */
const unguarded = (cell: string): string => cell.replace(/^'(?=[=+\-@\t\r])/, '');

export function readRow(row: CsvRow, layout: ImportLayout): ImportedRow {
  const { end, line, lines, cells } = row;
  const read = row.fault ? rowFaults[row.fault] : contactOf(row.cells, layout);
  const stands = { end, line, lines, cells };
  return typeof read === 'string'
    ? { ...stands, contact: null, reason: read }
    : { ...stands, contact: read, reason: null };
}

function contactOf(cells: readonly string[], { fields, headed }: ImportLayout): RowContact | string {
  if (headed && cells.length > fields.length) return 'has more cells than the header';
  const contact: RowContact = { email: '', customFields: {} };
  let size = 0;
  for (const [index, cell] of cells.entries()) {
    size += cell.length;
    const reason = take(contact, fields[index] ?? null, unguarded(cell));
    if (reason) return reason;
  }
  if (contact.email === '') return 'has no address';
  if (size <= surelySmall && !fields.includes('customFields')) return contact;
  const failure = checkField(Contact, 'customFields', contact.customFields);
  return failure ? `has custom fields that ${failure.message}` : contact;
}

/** Answers what is wrong with the cell. An empty one says nothing. */
function take(contact: RowContact, field: ImportLayout['fields'][number], cell: string): string | null {
  if (field === null) return null;
  if (field === 'email') {
    const email = normaliseAddress(cell);
    if (email === null) return cell.trim() === '' ? 'has no address' : 'has no valid address';
    contact.email = email;
  } else if (field === 'subscribed') {
    const subscribed = subscribedOf(cell);
    if (subscribed === null) return 'says of subscribed neither yes nor no';
    if (subscribed !== undefined) contact.subscribed = subscribed;
  } else if (field === 'customFields') {
    return takeFields(contact, cell);
  } else {
    const value = valueOf(cell);
    if (value !== null) contact.customFields[field.customField] = value;
  }
  return null;
}

/** A column of its own counts more than a member of the object, wherever it stands. */
function takeFields(contact: RowContact, cell: string): string | null {
  if (cell.trim() === '') return null;
  const fields = objectOf(cell);
  if (!fields) return 'has custom fields that are no JSON object';
  const fault = faultOf(fields);
  if (fault) return `has custom fields that ${fault}`;
  contact.customFields = { ...fields, ...contact.customFields };
  return null;
}

/** What JSON lets pass, and no store should (docs/guarantees.md §1.5). */
function faultOf(value: unknown, depth = 1): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'hold a number that is too large';
  if (typeof value === 'string')
    return value.isWellFormed() && !value.includes('\0') ? null : 'hold NUL or a lone surrogate';
  if (typeof value !== 'object' || value === null) return null;
  if (depth > 5) return 'are nested deeper than 5';
  for (const [name, member] of Object.entries(value)) {
    if (name === '__proto__') return 'have a member __proto__';
    const fault = faultOf(name, depth) ?? faultOf(member, depth + 1);
    if (fault) return fault;
  }
  return null;
}
