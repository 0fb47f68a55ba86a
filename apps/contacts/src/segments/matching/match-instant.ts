import type { AgeOperator, Equality, InstantValue, OrderOperator } from '@posthorn/contracts';
import { always, from, until, type Verdict } from './verdict.js';

type InstantFilter =
  { operator: Equality | OrderOperator; value: InstantValue } | { operator: AgeOperator; spanMs: number };

const dayMs = 86_400_000;

export function matchInstant(requested: InstantFilter, at: Date, now: Date): Verdict {
  if (!('spanMs' in requested)) return always(compareInstants(requested.operator, at, requested.value));
  const leaves = at.getTime() + requested.spanMs + 1;
  return requested.operator === 'within' ? until(leaves, now) : from(leaves, now);
}

export function compareInstants(
  operator: Equality | OrderOperator,
  at: Date,
  { from: first, day }: InstantValue,
): boolean {
  const past = at.getTime() - first.getTime();
  switch (operator) {
    case 'equals':
      return past >= 0 && past < (day ? dayMs : 1);
    case 'notEquals':
      return past < 0 || past >= (day ? dayMs : 1);
    case 'greaterThan':
      return past > 0;
    case 'lessThan':
      return past < 0;
    case 'greaterThanOrEqual':
      return past >= 0;
    case 'lessThanOrEqual':
      return past <= 0;
  }
}
