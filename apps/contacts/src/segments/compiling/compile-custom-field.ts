import type { ComparedValue, CustomFieldFilter, Equality, OrderOperator } from '@posthorn/contracts';
import { containing, edgeOf, ordered, signOf, type CompileScope } from './sql-parts.js';

// Two evaluations of one text must agree on what is a date: what the calendar lacks never reaches the cast.
const dateOnly =
  '(?!0000)([0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))' +
  '|([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)-02-29)';
const timeOfDay = '([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?';
/** Beyond 14 hours the cast itself refuses at some point. */
const zone = '(Z|[+-](0[0-9]|1[0-4]):?[0-5][0-9])';
/** Casing by Unicode, whatever the database's own collation is. */
const anyCase = 'COLLATE "pg_c_utf8"';

/** A stored value of another kind makes the predicate null: no CASE falls through to a cast that does not fit. */
export function compileCustomField(filter: CustomFieldFilter, scope: CompileScope): string {
  const stored = storedAt(filter.path, scope);
  if ('spanMs' in filter) return `${instantOf(stored)} ${filter.operator === 'within' ? '>=' : '<'} ${edgeOf(filter.spanMs, scope)}`;
  switch (filter.operator) {
    case 'exists':
      return `coalesce(jsonb_typeof(${stored}) <> 'null', false)`;
    case 'notExists':
      return `coalesce(jsonb_typeof(${stored}) = 'null', true)`;
    case 'contains':
    case 'notContains':
      return partOf(stored, filter.operator === 'contains', filter.text, scope);
    case 'equals':
    case 'notEquals':
    case 'greaterThan':
    case 'lessThan':
    case 'greaterThanOrEqual':
    case 'lessThanOrEqual':
      return compared(stored, filter.operator, filter.value, scope);
  }
}

/** Arrows of text enter objects only: a list has no member called 0. */
export function storedAt(path: readonly string[], { alias, add }: CompileScope): string {
  return `(${alias}.custom_fields${path.map((name) => ` -> ${add(name)}::text`).join('')})`;
}

function partOf(stored: string, wanted: boolean, text: string, { add }: CompileScope): string {
  const pattern = `lower(${add(containing(text))}::text ${anyCase})`;
  return ofKind(stored, 'string', `lower((${stored} #>> '{}') ${anyCase}) ${wanted ? 'LIKE' : 'NOT LIKE'} ${pattern}`);
}

function compared(stored: string, operator: Equality | OrderOperator, value: ComparedValue, scope: CompileScope): string {
  const sign = signOf(operator);
  switch (value.kind) {
    case 'number':
      return ofKind(stored, 'number', `${stored}::numeric ${sign} ${scope.add(String(value.number))}::numeric`);
    case 'flag':
      return ofKind(stored, 'boolean', `${stored}::boolean ${sign} ${scope.add(value.flag)}::boolean`);
    case 'text':
      return ofKind(stored, 'string', `(${stored} #>> '{}') COLLATE "C" ${sign} ${scope.add(value.text)}::text`);
    case 'instant':
      return ordered(instantOf(stored), operator, value, scope);
  }
}

const ofKind = (stored: string, kind: string, predicate: string): string =>
  `CASE WHEN jsonb_typeof(${stored}) = '${kind}' THEN ${predicate} END`;

/** Null for what is no date. Digits behind the milliseconds are cut, not rounded. */
export function instantOf(stored: string): string {
  const text = `(${stored} #>> '{}')`;
  const cut = `regexp_replace(${text}, '([.][0-9]{3})[0-9]+', '\\1')`;
  return `(CASE WHEN jsonb_typeof(${stored}) <> 'string' THEN NULL
    WHEN ${text} ~ '^(${dateOnly})$' THEN (${text} || 'T00:00:00Z')::timestamptz
    WHEN ${text} ~ '^(${dateOnly})T${timeOfDay}${zone}$' THEN ${cut}::timestamptz END)`;
}
