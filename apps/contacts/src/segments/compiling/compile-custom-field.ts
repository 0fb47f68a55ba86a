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
  switch (value.kind) {
    case 'instant':
      return comparedInstant(textAt(path, scope), operator, value, scope);
    case 'number':
      if (operator === 'equals') return contained(path, value.number, scope);
      return comparedNumber(path, operator, value.number, scope);
    case 'flag':
      return contained(path, value.flag === (operator === 'equals'), scope);
    case 'text': {
      if (operator === 'equals') return contained(path, value.text, scope);
      const stored = storedAt(path, scope);
      const compares = `${signOf(operator)} ${scope.add(value.text)}::text`;
      return ofKind(stored, 'string', `(${stored} #>> '{}') COLLATE "C" ${compares}`);
    }
  }
}

/** The whole document is looked into once; `->` would copy the value before it is compared. An object contains no list that has the value. */
function contained(path: readonly string[], value: unknown, { alias, add }: CompileScope): string {
  const document = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  return `${alias}.custom_fields @> ${add(JSON.stringify(document))}::jsonb`;
}

/** A strict path neither looks into lists nor fails: whatever is missing or no number makes it null. Null alone differs from a number. */
function comparedNumber(
  path: readonly string[],
  operator: Exclude<Equality, 'equals'> | OrderOperator,
  number: number,
  { alias, add }: CompileScope,
): string {
  const stored = `$${path.map((name) => `.${JSON.stringify(name)}`).join('')}`;
  const compared =
    operator === 'notEquals'
      ? `${stored} < ${number} || ${stored} > ${number}`
      : `${stored} ${signOf(operator)} ${number}`;
  return `${alias}.custom_fields @@ ${add(`strict ${compared}`)}::jsonpath`;
}

const ofKind = (stored: string, kind: string, predicate: string): string =>
  `CASE WHEN jsonb_typeof(${stored}) = '${kind}' THEN ${predicate} END`;
