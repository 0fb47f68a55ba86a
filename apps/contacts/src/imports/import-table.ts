import { invalidMember, csvUnreadable } from '@posthorn/contracts';
import { objectOf } from './json-object.js';
import { rowFaults } from './import-rows.js';
import {
  fieldNamed,
  firstRow,
  layoutOf,
  type ColumnField,
  type ColumnMapping,
  type ImportLayout,
} from './import-layout.js';

const maxName = 255;

/** How the table that begins so is to be read; refused where nobody can. */
export function readLayout(head: Buffer, mapping: string | undefined): ImportLayout {
  const wanted = mapping === undefined ? new Map<string, ColumnField>() : readMapping(mapping);
  if (head.length === 0) throw csvUnreadable('is empty');
  const layout = layoutOf(head, wanted);
  if (!layout) throw csvUnreadable(whyNot(head));
  for (const column of wanted.keys())
    if (!layout.columns.includes(column))
      throw invalidMember(['mapping'], 'not_found', `names a column that there is not: ${column}`);
  refuseNames(layout);
  return layout;
}

/** A member of this name is the prototype for whoever copies the fields carelessly. */
function refuseNames({ fields }: ImportLayout): void {
  for (const field of fields) {
    if (field === null || typeof field === 'string') continue;
    if (field.customField === '__proto__')
      throw csvUnreadable('has a column __proto__, which no custom field may be called');
    if (field.customField.length > maxName)
      throw csvUnreadable(`has a column whose name is longer than ${maxName} characters`);
  }
}

function whyNot(head: Buffer): string {
  const fault = firstRow(head, ',')?.fault ?? null;
  return fault
    ? `begins with a row that ${rowFaults[fault]}`
    : 'has no column that holds addresses: call one email, or say which by a mapping';
}

function readMapping(text: string): ColumnMapping {
  const entries = Object.entries(objectOf(text) ?? refuse('must be a JSON object of strings and nulls'));
  return new Map(
    entries.map(([column, name]) => {
      const field = fieldNamed(name);
      if (field === undefined)
        return refuse(
          `says of ${column} what is none of email, subscribed, custom_fields, custom_fields.<name> and null`,
        );
      return [column.trim(), field];
    }),
  );
}

function refuse(message: string): never {
  throw invalidMember(['mapping'], 'invalid_format', message);
}
