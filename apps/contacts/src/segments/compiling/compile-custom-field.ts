import type { ComparedValue, CustomFieldFilter, Equality, OrderOperator } from '@posthorn/contracts';
import { comparedInstant, instantOf } from './compile-date.js';
import { containing, edgeOf, signOf, type CompileScope } from './sql-parts.js';

/** Case by Unicode, independent of the collation of the database. */
const anyCase = 'COLLATE "pg_c_utf8"';

/** A stored value of another type makes the predicate false or null; the CASE keeps it from a cast that would fail. */
export function compileCustomField(filter: CustomFieldFilter, scope: CompileScope): string {
  if ('spanMs' in filter)
    return `${instantOf(textAt(filter.path, scope))} ${filter.operator === 'within' ? '>=' : '<'} ${edgeOf(filter.spanMs, scope)}`;
  const stored = () => storedAt(filter.path, scope);
  switch (filter.operator) {
    case 'exists':
      return `coalesce(jsonb_typeof(${stored()}) <> 'null', false)`;
    case 'notExists':
      return `coalesce(jsonb_typeof(${stored()}) = 'null', true)`;
    case 'contains':
    case 'notContains':
      return partOf(stored(), filter.operator === 'contains', filter.text, scope);
    case 'equals':
    case 'notEquals':
    case 'greaterThan':
    case 'lessThan':
    case 'greaterThanOrEqual':
    case 'lessThanOrEqual':
      return compared(filter.path, filter.operator, filter.value, scope);
  }
}

/** The operator `-> text` reads members of objects only, never items of arrays. */
function storedAt(path: readonly string[], { alias, add }: CompileScope): string {
  return `(${alias}.custom_fields${path.map((name) => ` -> ${add(name)}::text`).join('')})`;
}

export function textAt(path: readonly string[], scope: CompileScope): string {
  return `(${storedAt(path.slice(0, -1), scope)} ->> ${scope.add(path.at(-1))}::text)`;
}

function partOf(stored: string, wanted: boolean, text: string, { add }: CompileScope): string {
  const pattern = `lower(${add(containing(text))}::text ${anyCase})`;
  return ofKind(
    stored,
    'string',
    `lower((${stored} #>> '{}') ${anyCase}) ${wanted ? 'LIKE' : 'NOT LIKE'} ${pattern}`,
  );
}

function compared(
  path: readonly string[],
  operator: Equality | OrderOperator,
  value: ComparedValue,
  scope: CompileScope,
): string {
  if (value.kind === 'instant') return comparedInstant(textAt(path, scope), operator, value, scope);
  const stored = storedAt(path, scope);
  const sign = signOf(operator);
  const { add } = scope;
  switch (value.kind) {
    case 'number':
      if (operator === 'equals') return `${stored} = ${add(String(value.number))}::jsonb`;
      return ofKind(stored, 'number', `${stored}::numeric ${sign} ${add(String(value.number))}::numeric`);
    case 'flag':
      return `${stored} = ${add(String(value.flag === (operator === 'equals')))}::jsonb`;
    case 'text':
      if (operator === 'equals') return `${stored} = ${add(JSON.stringify(value.text))}::jsonb`;
      return ofKind(stored, 'string', `(${stored} #>> '{}') COLLATE "C" ${sign} ${add(value.text)}::text`);
  }
}

const ofKind = (stored: string, kind: string, predicate: string): string =>
  `CASE WHEN jsonb_typeof(${stored}) = '${kind}' THEN ${predicate} END`;
