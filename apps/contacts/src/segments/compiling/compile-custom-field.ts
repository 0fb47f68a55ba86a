import type { ComparedValue, CustomFieldFilter, Equality, OrderOperator } from '@posthorn/contracts';
import { containing, edgeOf, ordered, signOf, type CompileScope } from './sql-parts.js';

// Only the shape: what the calendar lacks is refused by Postgres's own word for it, which costs a tenth of a pattern that knows the months.
const dateOnly = '[0-9]{4}-[0-9]{2}-[0-9]{2}';
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
    WHEN NOT pg_input_is_valid(left(${text}, 10), 'date') THEN NULL
    WHEN ${text} ~ '^${dateOnly}$' THEN (${text} || 'T00:00:00Z')::timestamptz
    WHEN ${text} ~ '^${dateOnly}T${timeOfDay}${zone}$' THEN ${cut}::timestamptz END)`;
}
