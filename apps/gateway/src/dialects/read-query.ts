import {
  fieldsOf,
  maxPageSize,
  tryParse,
  type Field,
  type InvalidMember,
  type Shape,
} from '@posthorn/contracts';
import { RefusedMembers } from '../wire/errors.js';
import type { RouteDeclaration } from '../routes/route.js';
import type { Dialect } from './dialect.js';
import type { NamedField } from './shape-names.js';
import { unknownField } from './unknown-field.js';

export interface ReadQuery {
  filters: object;
  limit?: number;
  /** As received, possibly empty. */
  cursor?: string;
}

type Parameter = NamedField | 'cursor' | 'limit';

export type Parameters = ReadonlyMap<string, Parameter>;

class NoQuery {}

export function parametersOf(dialect: Dialect, declaration: RouteDeclaration): Parameters {
  const renamed = dialect.surface === 'legacy' ? (declaration.legacyQueryNames ?? {}) : {};
  const known = new Map<string, Parameter>();
  for (const named of dialect.names.of(declaration.query ?? NoQuery).byContractName.values())
    known.set(renamed[named.contractName] ?? named.dialectName, named);
  if (declaration.listed && dialect.hasPages(declaration.listed))
    known.set(dialect.cursorParameter, 'cursor').set('limit', 'limit');
  return known;
}

/** Unknown and repeated parameters are refused, like unknown members of a body. */
export function readQuery(
  known: Parameters,
  shape: Shape = NoQuery,
  raw: Readonly<Record<string, unknown>>,
): ReadQuery {
  const failures: InvalidMember[] = [];
  const plain: Record<string, unknown> = {};
  const read: ReadQuery = { filters: plain };
  const entries = Object.entries(raw);
  if (entries.length === 0 && needsNothing(shape)) return read;
  for (const [name, value] of entries) {
    const refuse = (code: InvalidMember['code'], message: string) =>
      failures.push({ path: [name], code, message });
    const parameter = known.get(name);
    if (!parameter) refuse('unknown_field', unknownField('parameter', name, known.keys()));
    else if (typeof value !== 'string') refuse('not_allowed', 'must be given only once');
    else if (parameter === 'cursor') read.cursor = value;
    else if (parameter === 'limit')
      read.limit =
        limitOf(value) ?? (refuse('out_of_range', `must be a whole number from 1 to ${maxPageSize}`), 0);
    else plain[parameter.contractName] = coerce(parameter.field, value);
  }
  const parsed = tryParse(shape, plain);
  const all = [...failures, ...named(known, parsed.failures)];
  if (all.length > 0) throw new RefusedMembers(all);
  return { ...read, filters: parsed.value };
}

const needsNothing = (shape: Shape): boolean =>
  Object.values(fieldsOf(shape)).every(({ optional }) => optional);

function named(known: Parameters, failures: InvalidMember[]): InvalidMember[] {
  const dialectNames = new Map(
    [...known].map(([name, parameter]) => [
      typeof parameter === 'string' ? parameter : parameter.contractName,
      name,
    ]),
  );
  return failures.map(({ path: [name = ''], ...failure }) => ({
    ...failure,
    path: [dialectNames.get(name) ?? name],
  }));
}

/** Refuses `-1`, `NaN`, `1e3` and `+5` (docs/guarantees.md §5). */
function limitOf(text: string): number | null {
  const limit = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Infinity;
  return limit <= maxPageSize ? limit : null;
}

/** Queries are text; text that does not fit the type is refused by the shape. */
function coerce({ kind, list }: Field, text: string): unknown {
  if (list) return text.split(',');
  if (kind === 'flag') return text === 'true' ? true : text === 'false' ? false : text;
  if (kind === 'count' || kind === 'number') return /^\d{1,15}$/.test(text) ? Number(text) : text;
  return text;
}
