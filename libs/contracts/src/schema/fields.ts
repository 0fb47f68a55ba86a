import { Transform } from 'class-transformer';
import { ValidateBy, ValidateIf } from 'class-validator';
import { normaliseAddress, parseMailbox, type Mailbox } from './texts/address.js';
import { applyAndRemember, defineField, type Field, type FieldKind, type Shape } from './field.js';
import { checkField } from './field-check.js';
import { parseInstant } from './instant.js';

type Extra = Partial<Field>;

/** A UUID. The service creates version 7 and accepts any version. */
export const Id = (extra: Extra = {}) => field('id', extra);
/** Text of `min` to `max` characters, without NUL and lone surrogates. */
export const Text = (min: number, max: number, extra: Extra = {}) => field('text', { min, max, ...extra });
/** Text without CR and LF, because it becomes a header (docs/guarantees.md §6). */
export const Line = (min: number, max: number, extra: Extra = {}) =>
  field('text', { min, max, oneLine: true, ...extra });
/** Text, or an object, which is read as its JSON. */
export const TextOrMap = (min: number, max: number, extra: Extra = {}) =>
  field('text', { min, max, orMap: true, ...extra }, [
    Transform((transformed) => jsonOf(unwrapMap(transformed))),
  ]);
export const Flag = (extra: Extra = {}) => field('flag', extra);
/** A whole number ≥ 0. */
export const Count = (extra: Extra = {}) =>
  field('count', { min: 0, max: Number.MAX_SAFE_INTEGER, ...extra });
export const Numeric = (extra: Extra = {}) => field('number', extra);
/** ISO 8601 with date, time and offset; `now`, `infinity` and years beyond 9999 are refused. */
export const Instant = (extra: Extra = {}) =>
  field('instant', extra, [Transform(({ value }) => readInstant(value))]);
/** An e-mail address of at most 254 characters; trimmed and lower-cased, with the domain as A-labels. */
export const Address = (extra: Extra = {}) =>
  field('address', extra, [Transform(({ value }) => readAddress(value))]);
/** Exactly one address with an optional name: `a@b.c`, `Name <a@b.c>` or `{ email, name }`. */
export const MailboxOf = (extra: Extra = {}) =>
  field('mailbox', extra, [Transform((transformed) => readMailbox(unwrapMap(transformed)))]);
export const Choice = (values: readonly string[], extra: Extra = {}) => field('choice', { values, ...extra });
/** A free map of short strings, e.g. `metadata`. `max` bounds the entries, `itemMax` one value. */
export const StringMap = (extra: Extra = {}) => field('map', extra, [Transform(unwrapMap)]);
/** A free JSON object, bypassing class-transformer (docs/guarantees.md §1.5). `max` bounds its JSON in bytes. */
export const FreeMap = (extra: Extra = {}) => field('json', extra, [Transform(unwrapMap)]);
export const Nested = (nested: () => Shape, extra: Extra = {}) => field('object', { nested, ...extra });
/** A list without `max` does not fit into one message and is written page by page. */
export const ListOf = (nested: () => Shape, min: number, max?: number, extra: Extra = {}) =>
  field('object', { nested, list: true, min, max, ...extra });
export const Texts = (min: number, max: number, itemMax: number, extra: Extra = {}) =>
  field('text', { list: true, min, max, itemMin: 1, itemMax, ...extra });
export const Ids = (min: number, max: number, extra: Extra = {}) =>
  field('id', { list: true, min, max, ...extra });
/** A list of mailboxes; a single one is read as a list of one. */
export const Mailboxes = (min: number, max: number, extra: Extra = {}) =>
  field('mailbox', { list: true, min, max, ...extra }, [
    Transform((transformed) => readMailboxes(unwrapMap(transformed))),
  ]);
export const Addresses = (min: number, max: number, extra: Extra = {}) =>
  field('address', { list: true, min, max, ...extra }, [
    Transform(({ value }) => (Array.isArray(value) ? value.map(readAddress) : value)),
  ]);

export function Optional(): PropertyDecorator {
  return modify(
    { optional: true },
    ValidateIf((_, value) => value !== undefined),
  );
}

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

/** What is wrong with a member is asked of the check itself (`flatten`), so that it is not said a second time. */
function checked(): PropertyDecorator {
  return ValidateBy({
    name: 'field',
    validator: {
      validate: (value, args) =>
        checkField(args?.object.constructor as Shape, args?.property ?? '', value) === null,
      defaultMessage: () => 'is not valid',
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

const jsonOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? JSON.stringify(value) : value;

// Unreadable values are passed on, so that the check reports them.
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
