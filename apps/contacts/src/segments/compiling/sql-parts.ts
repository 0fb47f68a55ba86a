import type { Equality, InstantValue, OrderOperator } from '@posthorn/contracts';

/** Where a predicate will stand: the statement's own parameters for project and instant, and how it takes further ones. */
export interface CompileScope {
  /** Of the row of `contacts`. */
  alias: string;
  /** The parameter of the project, as `$1`. */
  project: string;
  /** The parameter of the instant that counts as now, as `$2::timestamptz`. */
  now: string;
  /** Takes a value, answers its parameter, as `$3`. */
  add(value: unknown): string;
}

const dayMs = 86_400_000;
const orderSigns: Record<OrderOperator, string> = {
  greaterThan: '>',
  lessThan: '<',
  greaterThanOrEqual: '>=',
  lessThanOrEqual: '<=',
};

export const signOf = (operator: Equality | OrderOperator): string =>
  operator === 'equals' ? '=' : operator === 'notEquals' ? '<>' : orderSigns[operator];

export const negated = (predicate: string): string => `NOT ${predicate}`;

/** Now less a span. */
export const edgeOf = (spanMs: number, { now, add }: CompileScope): string =>
  `(${now} - ${add(spanMs)}::float8 * interval '1 millisecond')`;

/** A LIKE pattern for what contains a text; the wildcards of the text are none. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** Instants here have milliseconds, so a day ends with its last one. */
export function ordered(
  sql: string,
  operator: Equality | OrderOperator,
  { from, day }: InstantValue,
  { add }: CompileScope,
): string {
  const first = `${add(from)}::timestamptz`;
  if (!day || !(operator === 'equals' || operator === 'notEquals'))
    return `${sql} ${signOf(operator)} ${first}`;
  const last = `${add(new Date(from.getTime() + dayMs - 1))}::timestamptz`;
  return `${sql} ${operator === 'equals' ? 'BETWEEN' : 'NOT BETWEEN'} ${first} AND ${last}`;
}
