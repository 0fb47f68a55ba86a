import type { Equality, InstantValue, OrderOperator } from '@posthorn/contracts';

export interface CompileScope {
  alias: string;
  project: string;
  now: string;
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

export const edgeOf = (spanMs: number, { now, add }: CompileScope): string =>
  `(${now} - ${add(spanMs)}::float8 * interval '1 millisecond')`;

export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** Instants have milliseconds, so the last one of a day is its inclusive end. */
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
