import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { normaliseAddress, parseMailbox } from './address.js';
import { Base64Text } from './base64-text.js';
import type { FailureCode } from './field-check.js';
import { fieldsOf, type Field, type Shape } from './field.js';
import { checkField } from './field-check.js';
import { revive } from './revive.js';
import { invalid, type InvalidMember } from './errors.js';
import { rememberRules } from './validation-rules.js';

rememberRules();

/** Reads a plain value as a shape: every failure at once, as one `validation_error` with pointers. */
export function parse<T extends object>(shape: Shape<T>, plain: unknown): T {
  const { value, failures } = tryParse(shape, plain);
  if (failures.length > 0) throw invalid(failures);
  return value;
}

/**
 * The same rules, read off the same table without the detour over instances: for what another service of ours has written,
 * where a rule that fails is a bug and the detour would cost more than the work (a fact carries 256 items).
 */
export function readTrusted<T extends object>(shape: Shape<T>, plain: T): T {
  const failures = checkTrusted(shape, revive(shape, plain), []);
  if (failures.length > 0) throw invalid(failures);
  return plain;
}

function checkTrusted(shape: Shape, value: object, path: string[]): InvalidMember[] {
  const failures: InvalidMember[] = [];
  for (const [name, field] of Object.entries(fieldsOf(shape))) {
    const member = normalise(field, (value as Record<string, unknown>)[name]);
    if ((member === undefined && field.optional) || (member === null && field.nullable)) continue;
    (value as Record<string, unknown>)[name] = member;
    const failure = checkField(shape, name, member);
    if (failure) failures.push({ path: [...path, name, ...(failure.at ?? [])], code: failure.code, message: failure.message });
    else if (field.kind === 'object') failures.push(...checkNested(field, member, [...path, name]));
  }
  return failures;
}

/** One address has one spelling, whoever wrote it (contract.md §1); what is no address stays, for the check to name it. */
function normalise(field: Field, member: unknown): unknown {
  if (field.list && Array.isArray(member)) return member.map((entry) => normalise({ ...field, list: false }, entry));
  if (field.kind === 'address' && typeof member === 'string') return normaliseAddress(member) ?? member;
  if (field.kind === 'mailbox') return parseMailbox(member) ?? member;
  return member;
}

function checkNested(field: Field, member: unknown, path: string[]): InvalidMember[] {
  const nested = field.nested!();
  if (!field.list) return checkTrusted(nested, member as object, path);
  return (member as object[]).flatMap((entry, index) => checkTrusted(nested, entry, [...path, String(index)]));
}

export function tryParse<T extends object>(shape: Shape<T>, plain: unknown): { value: T; failures: InvalidMember[] } {
  const unknown = findUnknown(shape, plain, []);
  const value = toInstance(shape, plain);
  const failures = validateSync(value, { forbidUnknownValues: false }).flatMap((error) => flatten(error, []));
  return { value, failures: [...unknown, ...failures] };
}

function toInstance<T extends object>(shape: Shape<T>, plain: unknown): T {
  return materialise(shape, plainToInstance(shape, hideFreeMaps(shape, plain))) as T;
}

/** class-transformer walks every key it is given, slower than linearly: free maps and files go past it in a closure (guarantees.md §1.5). */
function hideFreeMaps(shape: Shape, plain: unknown): unknown {
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) return {};
  const source = plain as Record<string, unknown>;
  const visible: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fieldsOf(shape))) {
    if (!Object.hasOwn(source, name)) continue;
    const value = source[name];
    const opaque = value instanceof Base64Text || ['map', 'json', 'object', 'mailbox'].includes(field.kind);
    visible[name] = opaque && typeof value === 'object' && value !== null ? () => value : value;
  }
  return visible;
}

/** Nested shapes are read one by one, each by its own table. */
function materialise(shape: Shape, instance: object): object {
  const target = instance as Record<string, unknown>;
  for (const [name, field] of Object.entries(fieldsOf(shape))) {
    const value = typeof target[name] === 'function' ? (target[name] as () => unknown)() : target[name];
    if (value !== undefined || name in target) target[name] = value;
    if (field.kind === 'object' && field.nested) target[name] = readNested(field, value);
  }
  return instance;
}

function readNested(field: Field, value: unknown): unknown {
  const nested = field.nested!();
  const one = (entry: unknown) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry) ? toInstance(nested, entry) : entry;
  return field.list && Array.isArray(value) ? value.map(one) : one(value);
}

function flatten(error: ValidationError, path: string[]): InvalidMember[] {
  const at = [...path, error.property];
  const failure = checkField((error.target as object).constructor as Shape, error.property, error.value);
  return failure ? [{ path: [...at, ...(failure.at ?? [])], code: failure.code, message: failure.message }] : [];
}

/** Members that no shape declares, and the failures inside nested shapes (which the flat validation does not enter). */
function findUnknown(shape: Shape, plain: unknown, path: string[]): InvalidMember[] {
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) return [];
  const table = fieldsOf(shape);
  return Object.entries(plain).flatMap(([name, value]) => {
    const field = table[name];
    if (!field) return [{ path: [...path, name], code: 'unknown_field' as FailureCode, message: 'is not a known member' }];
    return field.kind === 'object' && field.nested ? insideNested(field, value, [...path, name]) : [];
  });
}

function insideNested(field: Field, value: unknown, path: string[]): InvalidMember[] {
  const nested = field.nested!();
  const within = (entry: unknown, at: string[]) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? tryParse(nested, entry).failures.map((failure) => ({ ...failure, path: [...at, ...failure.path] }))
      : [];
  if (!field.list) return within(value, path);
  const tooMany = Array.isArray(value) && value.length > (field.max ?? Infinity);
  return Array.isArray(value) && !tooMany ? value.flatMap((entry, index) => within(entry, [...path, String(index)])) : [];
}
