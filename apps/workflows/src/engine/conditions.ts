import type { BranchOperator } from '@posthorn/contracts';

/** Whether a stored value compares so with that of a branch; values of different types never do (docs/api-decisions.md §7). */
export function holds(operator: BranchOperator, stored: unknown, value: unknown): boolean {
  switch (operator) {
    case 'exists':
      return isPresent(stored);
    case 'notExists':
      return !isPresent(stored);
    case 'equals':
      return compare(stored, value) === 0;
    case 'notEquals':
      return isPresent(stored) && compare(stored, value) !== 0;
    case 'contains':
      return contains(stored, value) === true;
    case 'notContains':
      return contains(stored, value) === false;
    case 'greaterThan':
      return isOrdered(stored, value, (difference) => difference > 0);
    case 'lessThan':
      return isOrdered(stored, value, (difference) => difference < 0);
    case 'greaterThanOrEqual':
      return isOrdered(stored, value, (difference) => difference >= 0);
    case 'lessThanOrEqual':
      return isOrdered(stored, value, (difference) => difference <= 0);
  }
}

const isPresent = (stored: unknown): boolean => stored !== undefined && stored !== null;

function compare(stored: unknown, value: unknown): number | null {
  if (stored === null && value === null) return 0;
  if (typeof stored === 'number' && typeof value === 'number') return stored - value;
  if (typeof stored === 'boolean' && typeof value === 'boolean') return Number(stored) - Number(value);
  if (typeof stored !== 'string' || typeof value !== 'string') return null;
  const [at, other] = [instantOf(stored), instantOf(value)];
  // By code points, as Postgres compares in segments.
  return at !== null && other !== null ? at - other : Buffer.compare(Buffer.from(stored), Buffer.from(value));
}

function isOrdered(stored: unknown, value: unknown, isRight: (difference: number) => boolean): boolean {
  if (typeof stored === 'boolean') return false;
  const difference = compare(stored, value);
  return difference !== null && isRight(difference);
}

/** A list contains an entry, a text a part, whatever its case. */
function contains(stored: unknown, value: unknown): boolean | null {
  if (Array.isArray(stored)) return stored.some((entry) => compare(entry, value) === 0);
  if (typeof stored !== 'string' || typeof value !== 'string') return null;
  return stored.toLowerCase().includes(value.toLowerCase());
}

const isoInstant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

function instantOf(text: string): number | null {
  const at = isoInstant.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}
