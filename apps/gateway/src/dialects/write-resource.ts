import type { Field, Shape } from '@posthorn/contracts';
import { StreamedList } from '../routes/streamed.js';
import type { NamedField, ShapeNames } from './shape-names.js';

/** Writes only the members of the shape, in the order of declaration. */
export function writeResource(names: ShapeNames, shape: Shape, value: object): Record<string, unknown> {
  const source = value as Record<string, unknown>;
  const written: Record<string, unknown> = {};
  for (const named of names.of(shape).shown) {
    const member = source[named.contractName];
    if (member !== undefined) written[named.dialectName] = writeMember(names, named, member);
  }
  return written;
}

function writeMember(names: ShapeNames, { field, asText }: NamedField, value: unknown): unknown {
  if (value === null) return null;
  if (asText) return JSON.stringify(value);
  if (field.errorCode) return names.code(value as string);
  return field.kind === 'object' && field.nested ? writeNested(names, field, value) : value;
}

function writeNested(names: ShapeNames, field: Field, value: unknown): unknown {
  const shape = field.nested!();
  if (value instanceof StreamedList) return value.map((entry) => writeResource(names, shape, entry));
  return field.list
    ? (value as object[]).map((entry) => writeResource(names, shape, entry))
    : writeResource(names, shape, value as object);
}
