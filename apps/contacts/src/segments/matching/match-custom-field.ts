import type { ComparedValue, CustomFieldFilter, Equality, OrderOperator } from '@posthorn/contracts';
import { readInstant } from './instant-text.js';
import { compareInstants, matchInstant } from './match-instant.js';
import { always, never, type Verdict } from './verdict.js';

export function matchCustomField(
  filter: CustomFieldFilter,
  fields: Record<string, unknown>,
  now: Date,
): Verdict {
  const stored = storedAt(fields, filter.path);
  if ('spanMs' in filter) {
    const at = instantOf(stored);
    return at ? matchInstant(filter, at, now) : never;
  }
  switch (filter.operator) {
    case 'exists':
      return always(stored !== undefined && stored !== null);
    case 'notExists':
      return always(stored === undefined || stored === null);
    case 'contains':
    case 'notContains':
      return always(
        typeof stored === 'string' &&
          inLowerCase(stored).includes(inLowerCase(filter.text)) === (filter.operator === 'contains'),
      );
    case 'equals':
    case 'notEquals':
    case 'greaterThan':
    case 'lessThan':
    case 'greaterThanOrEqual':
    case 'lessThanOrEqual':
      return always(compare(filter.operator, stored, filter.value));
  }
}

/** Reads members of objects only, never items of arrays. */
function storedAt(fields: Record<string, unknown>, path: readonly string[]): unknown {
  let stored: unknown = fields;
  for (const name of path) {
    const inside =
      typeof stored === 'object' && stored !== null && !Array.isArray(stored) && Object.hasOwn(stored, name);
    if (!inside) return undefined;
    stored = (stored as Record<string, unknown>)[name];
  }
  return stored;
}

function compare(operator: Equality | OrderOperator, stored: unknown, value: ComparedValue): boolean {
  switch (value.kind) {
    case 'number':
      return typeof stored === 'number' && holds(operator, stored - value.number);
    case 'flag':
      return typeof stored === 'boolean' && holds(operator, stored === value.flag ? 0 : 1);
    case 'text':
      // By code points as in Postgres; `<` compares UTF-16 code units.
      return (
        typeof stored === 'string' &&
        holds(operator, Buffer.compare(Buffer.from(stored), Buffer.from(value.text)))
      );
    case 'instant': {
      const at = instantOf(stored);
      return at !== null && compareInstants(operator, at, value);
    }
  }
}

function holds(operator: Equality | OrderOperator, difference: number): boolean {
  switch (operator) {
    case 'equals':
      return difference === 0;
    case 'notEquals':
      return difference !== 0;
    case 'greaterThan':
      return difference > 0;
    case 'lessThan':
      return difference < 0;
    case 'greaterThanOrEqual':
      return difference >= 0;
    case 'lessThanOrEqual':
      return difference <= 0;
  }
}

const instantOf = (stored: unknown): Date | null =>
  typeof stored === 'string' ? (readInstant(stored)?.at ?? null) : null;

/** By Unicode's simple mapping as in Postgres: no letter becomes two, and a sigma at the end of a word is like any other. */
const inLowerCase = (text: string): string =>
  text
    .replaceAll('İ', 'i')
    .split('Σ')
    .map((part) => part.toLowerCase())
    .join('σ');
