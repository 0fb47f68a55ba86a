import { parseInstant } from './instant.js';
import { fieldsOf, type Field, type Shape } from './field.js';

export function reviveDates<T extends object>(shape: Shape<T>, plain: T): T {
  const target = plain as Record<string, unknown>;
  for (const [name, field] of Object.entries(fieldsOf(shape))) {
    const value = target[name];
    if (value === undefined || value === null) continue;
    if (field.kind === 'instant' && typeof value === 'string') target[name] = parseInstant(value) ?? value;
    if (field.kind === 'object' && typeof value === 'object') reviveNested(field, value);
  }
  return plain;
}

function reviveNested(field: Field, value: unknown): void {
  const nested = field.nested!();
  const entries = field.list && Array.isArray(value) ? (value as object[]) : [value as object];
  for (const entry of entries) if (typeof entry === 'object' && entry !== null) reviveDates(nested, entry);
}
