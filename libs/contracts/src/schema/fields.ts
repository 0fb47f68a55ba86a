import { Transform } from 'class-transformer';
import { ValidateBy, ValidateIf } from 'class-validator';
import { normaliseAddress, parseMailbox, type Mailbox } from './address.js';
import { applyAndRemember, defineField, type Field, type FieldKind, type Shape } from './field.js';
import { checkField } from './field-check.js';
import { parseInstant } from './instant.js';

type Extra = Partial<Field>;

/** A UUID (docs/api-decisions.md §1: the service makes version 7, and reads any). */
export const Id = (extra: Extra = {}) => field('id', extra);
/** Text of `min` to `max` characters, without NUL and lone surrogates. */
export const Text = (min: number, max: number, extra: Extra = {}) => field('text', { min, max, ...extra });
/** Text of one line: CR and LF are refused, because it becomes a header (docs/guarantees.md §6). */
export const Line = (min: number, max: number, extra: Extra = {}) =>
  field('text', { min, max, oneLine: true, ...extra });
export const Flag = (extra: Extra = {}) => field('flag', extra);
/** A whole number ≥ 0. */
export const Count = (extra: Extra = {}) =>
  field('count', { min: 0, max: Number.MAX_SAFE_INTEGER, ...extra });
/** @public Its first user comes with custom fields. */
export const Numeric = (extra: Extra = {}) => field('number', extra);
/** An instant: ISO 8601 with date, time and offset; `now`, `infinity` and years beyond 9999 are refused. */
export const Instant = (extra: Extra = {}) =>
  field('instant', extra, [Transform(({ value }) => readInstant(value))]);
/** A bare e-mail address, ≤ 254 characters, trimmed and lower-cased, its domain as A-label. */
export const Address = (extra: Extra = {}) =>
  field('address', extra, [Transform(({ value }) => readAddress(value))]);
/** An address with an optional name: `a@b.c`, `Name <a@b.c>` or `{ email, name }`. Exactly one address. */
export const MailboxOf = (extra: Extra = {}) =>
  field('mailbox', extra, [Transform((transformed) => readMailbox(unwrapMap(transformed)))]);
export const Choice = (values: readonly string[], extra: Extra = {}) => field('choice', { values, ...extra });
/** A free map of short strings, e.g. `metadata`, `headers`. `max` bounds the entries, `itemMax` one value. */
export const StringMap = (extra: Extra = {}) => field('map', extra, [Transform(unwrapMap)]);
/** A free JSON object; never walked by class-transformer (docs/guarantees.md §1.5). `max` bounds its JSON in bytes. */
export const FreeMap = (extra: Extra = {}) => field('json', extra, [Transform(unwrapMap)]);
export const Nested = (nested: () => Shape, extra: Extra = {}) => field('object', { nested, ...extra });
/** Without `max` it is a list that no message holds: it is written page by page. */
export const ListOf = (nested: () => Shape, min: number, max?: number, extra: Extra = {}) =>
  field('object', { nested, list: true, min, max, ...extra });
/** A list of texts: `min`…`max` entries of ≤ `itemMax` characters each. */
export const Texts = (min: number, max: number, itemMax: number, extra: Extra = {}) =>
  field('text', { list: true, min, max, itemMin: 1, itemMax, ...extra });
/** @public Its first user comes with lists. */
export const Ids = (min: number, max: number, extra: Extra = {}) =>
  field('id', { list: true, min, max, ...extra });
/** One mailbox or several: what is sent as one is read as a list of one. */
export const Mailboxes = (min: number, max: number, extra: Extra = {}) =>
  field('mailbox', { list: true, min, max, ...extra }, [
    Transform((transformed) => readMailboxes(unwrapMap(transformed))),
  ]);
export const Addresses = (min: number, max: number, extra: Extra = {}) =>
  field('address', { list: true, min, max, ...extra }, [
    Transform(({ value }) => (Array.isArray(value) ? value.map(readAddress) : value)),
  ]);

/** The member may be absent. */
export function Optional(): PropertyDecorator {
  return modify(
    { optional: true },
    ValidateIf((_, value) => value !== undefined),
  );
}

/** The member may be null. */
export function Nullable(): PropertyDecorator {
  return modify(
    { nullable: true },
    ValidateIf((_, value) => value !== null),
  );
}

function field(kind: FieldKind, extra: Extra, transforms: PropertyDecorator[] = []): PropertyDecorator {
  return (target, name) => {
    const shape = target.constructor as Shape;
    defineField(shape, name as string, { kind, ...extra });
    applyAndRemember(shape, name as string, [...transforms, checked()]);
  };
}

/**
 * One validator a member, reading the shape's own table: the code of a failure is the constraint's answer, so the edge
 * can say `too_long` or `invalid_type` without a second table.
 */
function checked(): PropertyDecorator {
  return ValidateBy({
    name: 'field',
    validator: {
      validate: (value, args) =>
        checkField(args?.object.constructor as Shape, args?.property ?? '', value) === null,
      defaultMessage: (args) => {
        const failure = checkField(args?.object.constructor as Shape, args?.property ?? '', args?.value);
        return failure ? `${failure.code}:${failure.message}` : 'invalid:is not valid';
      },
    },
  });
}

function modify(change: Extra, decorator: PropertyDecorator): PropertyDecorator {
  return (target, name) => {
    const shape = target.constructor as Shape;
    defineField(shape, name as string, change);
    applyAndRemember(shape, name as string, [decorator]);
  };
}

// What cannot be read stays as it came, so that the check names it.
function readInstant(value: unknown): unknown {
  return typeof value === 'string' ? (parseInstant(value) ?? value) : value;
}

function readAddress(value: unknown): unknown {
  return typeof value === 'string' ? (normaliseAddress(value) ?? value) : value;
}

function readMailbox(value: unknown): unknown {
  return parseMailbox(value) ?? value;
}

function readMailboxes(value: unknown): unknown {
  if (value === undefined || value === null) return value;
  return (Array.isArray(value) ? value : [value]).map(readMailbox) as (Mailbox | unknown)[];
}

function unwrapMap({ value }: { value: unknown }): unknown {
  return typeof value === 'function' ? (value as () => unknown)() : value;
}
