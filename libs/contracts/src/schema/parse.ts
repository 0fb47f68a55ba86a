import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { normaliseAddress, parseMailbox } from './texts/address.js';
import { Base64Text } from './texts/base64-text.js';
import type { FailureCode } from './field-check.js';
import { fieldsOf, type Field, type Shape } from './field.js';
import { checkField } from './field-check.js';
import { missingMembers } from './required-members.js';
import { reviveDates } from './revive-dates.js';
import { invalid, type InvalidMember } from '../common/errors.js';
import { rememberRules } from './validation-rules.js';

rememberRules();

export function parse<T extends object>(shape: Shape<T>, plain: unknown): T {
  const { value, failures } = tryParse(shape, plain);
  if (failures.length > 0) throw invalid(failures);
  return value;
}

/** Creates no instances, which would cost more than the work: a failure here is a bug. */
export function validateInPlace<T extends object>(shape: Shape<T>, plain: T): T {
  const failures = validateMembers(shape, reviveDates(shape, plain), []);
  if (failures.length > 0) throw invalid(failures);
  return plain;
}

/** Members that the shape does not know are let through: whoever stores a free map keeps them. The value is not changed. */
export const failuresOfKnownMembers = (shape: Shape, value: object): InvalidMember[] =>
  validateMembers(shape, structuredClone(value), []);

function validateMembers(shape: Shape, value: object, path: string[]): InvalidMember[] {
  const failures: InvalidMember[] = [];
  for (const [name, field] of Object.entries(fieldsOf(shape))) {
    const member = normalise(field, (value as Record<string, unknown>)[name]);
    if ((member === undefined && field.optional) || (member === null && field.nullable)) continue;
    (value as Record<string, unknown>)[name] = member;
    const failure = checkField(shape, name, member);
    if (failure)
      failures.push({
        path: [...path, name, ...(failure.at ?? [])],
        code: failure.code,
        message: failure.message,
      });
    else if (field.kind === 'object') failures.push(...checkNested(field, member, [...path, name]));
  }
  return failures;
}

/** Every address has one normal form (docs/api-decisions.md §1); an invalid one is left for the check. */
function normalise(field: Field, member: unknown): unknown {
  if (field.list && Array.isArray(member))
    return member.map((entry) => normalise({ ...field, list: false }, entry));
  if (field.kind === 'address' && typeof member === 'string') return normaliseAddress(member) ?? member;
  if (field.kind === 'mailbox') return parseMailbox(member) ?? member;
  return member;
}

function checkNested(field: Field, member: unknown, path: string[]): InvalidMember[] {
  const nested = field.nested!();
  if (!field.list) return validateMembers(nested, member as object, path);
  return (member as object[]).flatMap((entry, index) =>
    validateMembers(nested, entry, [...path, String(index)]),
  );
}

export function tryParse<T extends object>(
  shape: Shape<T>,
  plain: unknown,
): { value: T; failures: InvalidMember[] } {
  const source = isObject(plain) ? plain : {};
  const nested = new NestedMembers();
  const unknown = Object.entries(source).flatMap(([name, value]) =>
    nested.read(fieldsOf(shape)[name], name, value),
  );
  const value = restoreMembers(
    shape,
    plainToInstance(shape, hideFreeMaps(shape, source)),
    nested.values,
  ) as T;
  const failures = validateSync(value, { forbidUnknownValues: false }).flatMap((error) => flatten(error, []));
  return { value, failures: [...unknown, ...failures, ...missingMembers(shape, source)] };
}

/** class-transformer takes worse than linear time for free maps and files (docs/guarantees.md §1.5). */
function hideFreeMaps(shape: Shape, source: Record<string, unknown>): object {
  const visible: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fieldsOf(shape))) {
    if (!Object.hasOwn(source, name)) continue;
    const value = source[name];
    const opaque =
      value instanceof Base64Text || field.orMap || ['map', 'json', 'object', 'mailbox'].includes(field.kind);
    visible[name] = opaque && typeof value === 'object' && value !== null ? () => value : value;
  }
  return visible;
}

function restoreMembers(shape: Shape, instance: object, nested: ReadonlyMap<string, unknown>): object {
  const target = instance as Record<string, unknown>;
  for (const name of Object.keys(fieldsOf(shape))) {
    const held = typeof target[name] === 'function' ? (target[name] as () => unknown)() : target[name];
    const value = nested.has(name) ? nested.get(name) : held;
    if (value !== undefined || name in target) target[name] = value;
  }
  return instance;
}

class NestedMembers {
  readonly values = new Map<string, unknown>();

  read(field: Field | undefined, name: string, value: unknown): InvalidMember[] {
    if (!field)
      return [{ path: [name], code: 'unknown_field' as FailureCode, message: 'is not a known field' }];
    if (field.kind !== 'object' || !field.nested) return [];
    const shape = field.nested();
    const failures: InvalidMember[] = [];
    const one = (entry: unknown, at: string[]) => {
      if (!isObject(entry)) return entry;
      const read = tryParse(shape, entry);
      failures.push(...read.failures.map((failure) => ({ ...failure, path: [...at, ...failure.path] })));
      return read.value;
    };
    if (!field.list) this.values.set(name, one(value, [name]));
    else if (Array.isArray(value) && value.length <= (field.max ?? Infinity))
      this.values.set(
        name,
        value.map((entry, index) => one(entry, [name, String(index)])),
      );
    return failures;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function flatten(error: ValidationError, path: string[]): InvalidMember[] {
  const at = [...path, error.property];
  const failure = checkField((error.target as object).constructor as Shape, error.property, error.value);
  return failure
    ? [{ path: [...at, ...(failure.at ?? [])], code: failure.code, message: failure.message }]
    : [];
}
