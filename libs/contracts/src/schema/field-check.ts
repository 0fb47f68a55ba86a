import { normaliseAddress, parseMailbox } from './texts/address.js';
import { Base64Text } from './texts/base64-text.js';
import { fieldsOf, type Field, type FieldKind, type Shape } from './field.js';
import { parseInstant } from './instant.js';

/** What is wrong with a member. `code` is what clients branch on (`errors[].code`). */
export class FieldFailure {
  constructor(
    readonly code: FailureCode,
    readonly message: string,
    /** JSON Pointer tokens inside the member. */
    readonly at: readonly string[] = [],
  ) {}
}

/** The complete registry of `errors[].code`. */
export const failureCodes = [
  'required',
  'invalid_type',
  'invalid_format',
  'too_short',
  'too_long',
  'out_of_range',
  'not_allowed',
  'unknown_field',
  'invalid_text',
  'not_verified',
  'not_found',
] as const;
export type FailureCode = (typeof failureCodes)[number];

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const maxJsonDepth = 5;

export const isUuid = (text: string): boolean => uuid.test(text);

/** The first problem of one member, or null. Nested objects are checked separately. */
export function checkField(shape: Shape, name: string, value: unknown): FieldFailure | null {
  const read = readField(fieldsOf(shape)[name]!, value);
  return read instanceof FieldFailure ? read : null;
}

/** The member in its one normal form (docs/api-decisions.md §1), or its first problem. */
export function readField(field: Field, value: unknown): unknown {
  if (value === undefined) return new FieldFailure('required', 'is required');
  return field.list ? readList(value, field) : readers[field.kind](value, field);
}

function readList(value: unknown, field: Field): unknown {
  const list = field.kind === 'mailbox' && value !== null && !Array.isArray(value) ? [value] : value;
  if (!Array.isArray(list)) return type('a list');
  const length = checkLength(list.length, field, 'entries');
  if (length) return length;
  const { entry: bounds } = partsOf(field);
  const read: unknown[] = [];
  for (const [index, given] of list.entries()) {
    const entry = readers[field.kind](given, bounds);
    if (entry instanceof FieldFailure) return inside(String(index), entry);
    read.push(entry);
  }
  return read;
}

interface Parts {
  entry: Field;
  /** Of a map. */
  key: Field;
}

const parts = new WeakMap<Field, Parts>();

/** Kept, because an object of this many members takes microseconds to copy. */
function partsOf(field: Field): Parts {
  const known = parts.get(field);
  if (known) return known;
  const { kind, itemMin, itemMax, pattern } = field;
  const own: Parts = {
    entry: {
      ...field,
      list: false,
      min: itemMin,
      max: itemMax,
      pattern: kind === 'map' ? undefined : pattern,
    },
    key: { ...field, min: 1, max: 255, oneLine: true },
  };
  parts.set(field, own);
  return own;
}

const readers: Record<FieldKind, (value: unknown, field: Field) => unknown> = {
  id: (value) =>
    typeof value !== 'string' ? type('a string') : uuid.test(value) ? value : format('must be a UUID'),
  text: readText,
  flag: (value) => (typeof value === 'boolean' ? value : type('true or false')),
  count: (value, field) => readNumber(value, field, Number.isSafeInteger(value), 'a whole number'),
  number: (value, field) => readNumber(value, field, Number.isFinite(value), 'a number'),
  instant: (value) =>
    value instanceof Date
      ? value
      : ((typeof value === 'string' ? parseInstant(value) : null) ??
        format('must be an ISO 8601 date-time with an offset, such as 2026-01-31T09:00:00Z')),
  address: (value) =>
    typeof value !== 'string'
      ? type('a string')
      : (normaliseAddress(value) ?? format('must be one e-mail address')),
  mailbox: (value) =>
    parseMailbox(value) ?? format('must be exactly one e-mail address, or {"email", "name"}'),
  choice: (value, field) =>
    typeof value === 'string' &&
    (field.values?.includes(value) || (field.open && value.length >= 1 && value.length <= 64))
      ? value
      : new FieldFailure('not_allowed', `must be one of ${field.values?.join(', ')}`),
  object: (value) => (isObject(value) ? value : type('an object')),
  map: readMap,
  json: readJson,
};

function readText(given: unknown, field: Field): unknown {
  const value = field.orMap && isObject(given) ? JSON.stringify(given) : given;
  if (field.base64 && value instanceof Base64Text)
    return checkLength(value.length, field, 'characters') ?? value;
  if (typeof value !== 'string') return type('a string');
  return checkText(value, field) ?? value;
}

function checkText(value: string, field: Field): FieldFailure | null {
  if (value.includes('\u0000') || !value.isWellFormed())
    return new FieldFailure('invalid_text', 'must not contain NUL or lone surrogates');
  if (field.oneLine && /[\r\n\u2028\u2029]/.test(value))
    return new FieldFailure('invalid_text', 'must be one line');
  if (field.pattern && !field.pattern.test(value)) return format(`must match ${field.pattern.source}`);
  return checkLength(value.length, field, 'characters');
}

function readNumber(value: unknown, field: Field, fits: boolean, what: string): unknown {
  if (typeof value !== 'number' || !fits) return type(what);
  const { min = -Infinity, max = Infinity } = field;
  return value < min || value > max
    ? new FieldFailure('out_of_range', `must be between ${min} and ${max}`)
    : value;
}

function readMap(value: unknown, field: Field): unknown {
  if (!isObject(value)) return type('an object of strings');
  const entries = Object.entries(value);
  const length = checkLength(entries.length, { max: field.max }, 'entries');
  if (length) return length;
  const { key, entry: bounds } = partsOf(field);
  for (const [name, entry] of entries) {
    const wrong = checkText(name, key);
    if (wrong) return new FieldFailure(wrong.code, `has a name that ${wrong.message}`, [name]);
    const read = readText(entry, bounds);
    if (read instanceof FieldFailure) return inside(name, read);
  }
  return value;
}

function readJson(value: unknown, field: Field): unknown {
  if (!isObject(value)) return type('an object');
  const depth = field.depth ?? maxJsonDepth;
  if (isDeeper(value, depth))
    return new FieldFailure('out_of_range', `must not be nested deeper than ${depth}`);
  return Buffer.byteLength(JSON.stringify(value)) > (field.max ?? Infinity)
    ? new FieldFailure('too_long', `must be at most ${field.max} bytes of JSON`)
    : value;
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeper(member, depth - 1));
}

function checkLength(
  length: number,
  { min = 0, max = Infinity }: Pick<Field, 'min' | 'max'>,
  what: string,
): FieldFailure | null {
  if (length < min)
    return new FieldFailure(
      'too_short',
      min === 1 ? 'must not be empty' : `must have at least ${min} ${what}`,
    );
  if (length > max) return new FieldFailure('too_long', `must have at most ${max} ${what}`);
  return null;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const inside = (name: string, { code, message, at }: FieldFailure): FieldFailure =>
  new FieldFailure(code, message, [name, ...at]);
const type = (what: string): FieldFailure => new FieldFailure('invalid_type', `must be ${what}`);
const format = (message: string): FieldFailure => new FieldFailure('invalid_format', message);
