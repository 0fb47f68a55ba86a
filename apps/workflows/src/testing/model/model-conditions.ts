import type { BranchOperator } from '@posthorn/contracts';

type Config = Record<string, unknown>;
interface Comparison {
  field: string;
  operator: BranchOperator;
  value?: unknown;
}

/** The branch of a CONDITION. */
export function takes(config: Config, variables: Config): string {
  const field = String(config['field']);
  if (config['mode'] !== 'multi') return meets(config as Config & Comparison, variables) ? 'yes' : 'no';
  const branches = config['branches'] as (Omit<Comparison, 'field'> & { id: string })[];
  return branches.find((branch) => meets({ ...branch, field }, variables))?.id ?? 'default';
}

/** Only text, numbers, booleans and lists of texts occur. */
export function meets({ field, operator, value }: Comparison, variables: Config): boolean {
  const stored = field
    .split('.')
    .reduce<unknown>((known, name) => (known as Config | undefined)?.[name], variables);
  const isSame = typeof stored === typeof value && stored === value;
  const isOrdered =
    typeof stored === typeof value && (typeof stored === 'number' || typeof stored === 'string');
  const [left, right] = [stored as number, value as number];
  switch (operator) {
    case 'exists':
      return stored !== undefined;
    case 'notExists':
      return stored === undefined;
    case 'equals':
      return isSame;
    case 'notEquals':
      return stored !== undefined && !isSame;
    case 'contains':
      return contains(stored, value) === true;
    case 'notContains':
      return contains(stored, value) === false;
    case 'greaterThan':
      return isOrdered && left > right;
    case 'lessThan':
      return isOrdered && left < right;
    case 'greaterThanOrEqual':
      return isOrdered && left >= right;
    case 'lessThanOrEqual':
      return isOrdered && left <= right;
  }
}

function contains(stored: unknown, value: unknown): boolean | null {
  if (Array.isArray(stored)) return stored.includes(value);
  return typeof stored === 'string' && typeof value === 'string' ? stored.includes(value) : null;
}
