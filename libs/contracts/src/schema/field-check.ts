import { normaliseAddress, parseMailbox } from './texts/address.js';
import { Base64Text } from './texts/base64-text.js';
import { fieldsOf, type Field, type FieldKind, type Shape } from './field.js';

/** `code` is what clients branch on (`errors[].code`). */
export interface FieldFailure {
  code: FailureCode;
  message: string;
  /** JSON Pointer tokens inside the member. */
  at?: string[];
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
  const field = fieldsOf(shape)[name];
  if (!field) return null;
  if (value === undefined) return { code: 'required', message: 'is required' };
  if (!field.list) return checkers[field.kind](value, field);
  return checkList(value, field);
}

function checkList(value: unknown, field: Field): FieldFailure | null {
  if (!Array.isArray(value)) return type('a list');
  const length = checkLength(value.length, field, 'entries');
  if (length) return length;
  const item: Field = { ...field, list: false, min: field.itemMin, max: field.itemMax };
  for (const [index, entry] of value.entries()) {
    const failure = checkers[field.kind](entry, item);
    if (failure) return { ...failure, at: [String(index), ...(failure.at ?? [])] };
  }
  return null;
}

const checkers: Record<FieldKind, (value: unknown, field: Field) => FieldFailure | null> = {
  id: (value) =>
    typeof value !== 'string' ? type('a string') : uuid.test(value) ? null : format('must be a UUID'),
  text: checkText,
  flag: (value) => (typeof value === 'boolean' ? null : type('true or false')),
  count: (value, field) => checkNumber(value, field, Number.isSafeInteger(value), 'a whole number'),
  number: (value, field) => checkNumber(value, field, Number.isFinite(value), 'a number'),
  instant: (value) =>
    value instanceof Date
      ? null
      : format('must be an ISO 8601 date-time with an offset, such as 2026-01-31T09:00:00Z'),
  address: (value) =>
    typeof value !== 'string'
      ? type('a string')
      : normaliseAddress(value) === null
        ? format('must be one e-mail address')
        : null,
  mailbox: (value) =>
    parseMailbox(value) === null ? format('must be exactly one e-mail address, or {"email", "name"}') : null,
  choice: (value, field) =>
    typeof value === 'string' &&
    (field.values?.includes(value) || (field.open && value.length >= 1 && value.length <= 64))
      ? null
      : { code: 'not_allowed', message: `must be one of ${field.values?.join(', ')}` },
  object: (value) => (isObject(value) ? null : type('an object')),
  map: checkMap,
  json: checkJson,
};

function checkText(value: unknown, field: Field): FieldFailure | null {
  if (field.base64 && value instanceof Base64Text) return checkLength(value.length, field, 'characters');
  if (typeof value !== 'string') return type('a string');
  if (value.includes('\u0000') || !value.isWellFormed())
    return { code: 'invalid_text', message: 'must not contain NUL or lone surrogates' };
  if (field.oneLine && /[\r\n\u2028\u2029]/.test(value))
    return { code: 'invalid_text', message: 'must be one line' };
  if (field.pattern && !field.pattern.test(value)) return format(`must match ${field.pattern.source}`);
  return checkLength(value.length, field, 'characters');
}

function checkNumber(value: unknown, field: Field, fits: boolean, what: string): FieldFailure | null {
  if (typeof value !== 'number' || !fits) return type(what);
  const { min = -Infinity, max = Infinity } = field;
  return value < min || value > max
    ? { code: 'out_of_range', message: `must be between ${min} and ${max}` }
    : null;
}

function checkMap(value: unknown, field: Field): FieldFailure | null {
  if (!isObject(value)) return type('an object of strings');
  const entries = Object.entries(value);
  const length = checkLength(entries.length, { ...field, min: undefined }, 'entries');
  if (length) return length;
  // An object of this many members takes microseconds to copy.
  const nameBounds: Field = { ...field, min: 1, max: 255, oneLine: true };
  const entryBounds: Field = { ...field, min: 0, max: field.itemMax, pattern: undefined };
  for (const [key, entry] of entries) {
    const name = checkText(key, nameBounds);
    if (name) return { ...name, message: `has a name that ${name.message}`, at: [key] };
    const failure = checkText(entry, entryBounds);
    if (failure) return { ...failure, at: [key] };
  }
  return null;
}

function checkJson(value: unknown, field: Field): FieldFailure | null {
  if (!isObject(value)) return type('an object');
  const depth = field.depth ?? maxJsonDepth;
  if (isDeeper(value, depth))
    return { code: 'out_of_range', message: `must not be nested deeper than ${depth}` };
  const bytes = Buffer.byteLength(JSON.stringify(value));
  return bytes > (field.max ?? Infinity)
    ? { code: 'too_long', message: `must be at most ${field.max} bytes of JSON` }
    : null;
}

/** Stops at the limit: a document may be deeper than the stack, and an array longer than the arguments of a call. */
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
    return {
      code: 'too_short',
      message: min === 1 ? 'must not be empty' : `must have at least ${min} ${what}`,
    };
  if (length > max) return { code: 'too_long', message: `must have at most ${max} ${what}` };
  return null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const type = (what: string): FieldFailure => ({ code: 'invalid_type', message: `must be ${what}` });
const format = (message: string): FieldFailure => ({ code: 'invalid_format', message });
