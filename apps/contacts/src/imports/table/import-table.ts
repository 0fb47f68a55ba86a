import {
  invalidMember,
  csvUnreadable,
  importedStatuses,
  type ImportedStatus,
  type StartContactImport,
} from '@posthorn/contracts';
import { csvTableOf } from '@posthorn/csv';
import { objectOf } from './json-object.js';
import { rowFaults } from './import-rows.js';
import {
  fieldNamed,
  layoutOf,
  type ColumnField,
  type ColumnMapping,
  type ImportLayout,
} from './import-layout.js';
import { labelOf } from './import-status.js';
import { valuesOf, withStatuses, type ReadStatuses, type StatusDecision } from './import-statuses.js';

const maxName = 255;

type Options = Pick<StartContactImport, 'mapping' | 'statusColumn' | 'statusValues' | 'last'>;

/** The layout, and the columns that say who may be mailed; some may need a decision (`refuseUnclear`). */
export function readTable(head: Buffer, options: Options): ReadStatuses {
  const { mapping, last } = options;
  const assigned = mapping === undefined ? new Map<string, ColumnField>() : readMapping(mapping);
  if (head.length === 0) throw csvUnreadable('is empty');
  const layout = layoutOf(head, assigned);
  if (!layout) throw csvUnreadable(reasonOf(head));
  for (const column of assigned.keys())
    if (!layout.columns.includes(column))
      throw invalidMember(['mapping'], 'not_found', `names a column that does not exist: ${column}`);
  const cells = valuesOf(head, layout, last);
  const withObjects = { ...layout, fields: objectsIn(cells, layout, assigned) };
  refuseNames(withObjects);
  return withStatuses(cells, withObjects, assigned, decisionOf(options));
}

/** Exports put the custom fields of a person into one column, as an object. */
const objectColumns = new Set(['attributes', 'customattributes', 'data', 'properties']);

function objectsIn(
  cells: readonly string[][],
  { fields, columns }: ImportLayout,
  assigned: ColumnMapping,
): ColumnField[] {
  const found = columns.findIndex((column, index) => {
    const texts = cells[index]!.filter((cell) => cell.trim() !== '');
    return (
      objectColumns.has(labelOf(column)) &&
      !assigned.has(column) &&
      texts.length > 0 &&
      texts.every((text) => objectOf(text) !== null)
    );
  });
  if (found === -1 || fields.includes('customFields')) return [...fields];
  return fields.map((field, index) => (index === found ? 'customFields' : field));
}

function decisionOf({ statusColumn, statusValues }: Options): StatusDecision | null {
  if (statusColumn === undefined && statusValues === undefined) return null;
  if (statusColumn === undefined)
    throw invalidMember(['statusColumn'], 'required', 'is required with status_values');
  const entries = Object.entries(
    objectOf(statusValues ?? '{}') ?? refuse('statusValues', 'must be a JSON object'),
  );
  const values = entries.map(([value, status]): [string, ImportedStatus] => {
    const known = importedStatuses.find((each) => each === status);
    return [
      value.trim().toLowerCase(),
      known ??
        refuse('statusValues', `must map ${value.slice(0, 80)} to one of ${importedStatuses.join(', ')}`),
    ];
  });
  return { column: statusColumn.trim(), values: Object.fromEntries(values) };
}

/** Code that copies the fields carelessly would take `__proto__` for the prototype. */
function refuseNames({ fields }: { fields: readonly ColumnField[] }): void {
  for (const field of fields) {
    if (field === null || typeof field === 'string') continue;
    if ('status' in field) continue;
    if (field.customField === '__proto__')
      throw csvUnreadable('has a column __proto__, which is not allowed as a custom field');
    if (field.customField.length > maxName)
      throw csvUnreadable(`has a column whose name is longer than ${maxName} characters`);
  }
}

function reasonOf(head: Buffer): string {
  const fault = csvTableOf(head).first?.fault ?? null;
  return fault
    ? `begins with a row that ${rowFaults[fault]}`
    : 'has no column of addresses: name one email, or assign one by a mapping';
}

function readMapping(text: string): ColumnMapping {
  const entries = Object.entries(
    objectOf(text) ?? refuse('mapping', 'must be a JSON object of strings and nulls'),
  );
  return new Map(
    entries.map(([column, name]) => {
      const field = fieldNamed(name);
      if (field === undefined)
        return refuse(
          'mapping',
          `must assign to ${column} one of email, subscribed, custom_fields, custom_fields.<name> and null`,
        );
      return [column.trim(), field];
    }),
  );
}

function refuse(member: string, message: string): never {
  throw invalidMember([member], 'invalid_format', message);
}
