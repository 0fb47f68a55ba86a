import { fieldsOf, type Field, type Shape } from './field.js';

/** Makes the instants of a JSON reply dates again, by the shape's table; everything else is already what it was. */
export function revive<T extends object>(shape: Shape<T>, plain: T): T {
  const target = plain as Record<string, unknown>;
  for (const [name, field] of Object.entries(fieldsOf(shape))) {
    const value = target[name];
    if (value === undefined || value === null) continue;
    if (field.kind === 'instant') target[name] = new Date(value as string);
    if (field.kind === 'object') reviveNested(field, value);
  }
  return plain;
}

function reviveNested(field: Field, value: unknown): void {
  const nested = field.nested!();
  for (const entry of field.list ? (value as object[]) : [value as object]) revive(nested, entry);
}
