import { invalid, type InvalidMember } from '../common/errors.js';
import { FieldFailure, isObject, readField } from './field-check.js';
import { fieldsOf, membersOf, type Field, type Shape } from './field.js';
import { missingMembers } from './required-members.js';

/** Clients may not send unknown members, and have to send what a shape asks for beyond its members; services may be newer. */
type Sender = 'client' | 'service';
type Members = Record<string, unknown>;

export function parse<T extends object>(shape: Shape<T>, plain: unknown): T {
  const { value, failures } = tryParse(shape, plain);
  if (failures.length > 0) throw invalid(failures);
  return value;
}

export function tryParse<T extends object>(
  shape: Shape<T>,
  plain: unknown,
): { value: T; failures: InvalidMember[] } {
  const value = isObject(plain) ? plain : {};
  return { value: value as T, failures: validate(shape, value, 'client') };
}

/** A failure here is a bug. */
export function validateInPlace<T extends object>(shape: Shape<T>, plain: T): T {
  const failures = validate(shape, plain as Members, 'service');
  if (failures.length > 0) throw invalid(failures);
  return plain;
}

/** Members that the shape does not know are let through: whoever stores a free map keeps them. The value is not changed. */
export const failuresOfKnownMembers = (shape: Shape, value: object): InvalidMember[] =>
  validate(shape, structuredClone(value) as Members, 'service');

/** One walk for the edge and the bus. It puts each member into its normal form where it stands, so that nothing is copied. */
function validate(shape: Shape, value: Members, from: Sender): InvalidMember[] {
  const failures: InvalidMember[] = [];
  const fields = fieldsOf(shape);
  for (const name of Object.keys(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name]! : null;
    if (field?.nested) failures.push(...failuresInside(field, name, value[name], from));
    else if (!field && from === 'client')
      failures.push({ path: [name], code: 'unknown_field', message: 'is not a known field' });
  }
  for (const [name, field] of membersOf(shape)) {
    const member = value[name];
    if ((member === undefined && field.optional) || (member === null && field.nullable)) continue;
    const read = readField(field, member);
    if (read instanceof FieldFailure)
      failures.push({ path: [name, ...read.at], code: read.code, message: read.message });
    else value[name] = read;
  }
  if (from === 'client') failures.push(...missingMembers(shape, value));
  return failures;
}

function failuresInside(field: Field, name: string, member: unknown, from: Sender): InvalidMember[] {
  const shape = field.nested!();
  const one = (entry: unknown, at: readonly string[]) =>
    isObject(entry)
      ? validate(shape, entry, from).map((failure) => ({ ...failure, path: [...at, ...failure.path] }))
      : [];
  if (!field.list) return one(member, [name]);
  if (!Array.isArray(member) || member.length > (field.max ?? Infinity)) return [];
  return member.flatMap((entry, index) => one(entry, [name, String(index)]));
}
