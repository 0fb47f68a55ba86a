import { defineField, type Field, type FieldKind, type Shape } from './field.js';

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
  field('text', { min, max, orMap: true, ...extra });
export const Flag = (extra: Extra = {}) => field('flag', extra);
/** A whole number ≥ 0. */
export const Count = (extra: Extra = {}) =>
  field('count', { min: 0, max: Number.MAX_SAFE_INTEGER, ...extra });
export const Numeric = (extra: Extra = {}) => field('number', extra);
/** ISO 8601 with date, time and offset; `now`, `infinity` and years beyond 9999 are refused. */
export const Instant = (extra: Extra = {}) => field('instant', extra);
/** An e-mail address of at most 254 characters; trimmed and lower-cased, with the domain as A-labels. */
export const Address = (extra: Extra = {}) => field('address', extra);
/** Exactly one address with an optional name: `a@b.c`, `Name <a@b.c>` or `{ email, name }`. */
export const MailboxOf = (extra: Extra = {}) => field('mailbox', extra);
export const Choice = (values: readonly string[], extra: Extra = {}) => field('choice', { values, ...extra });
/** A free map of short strings, e.g. `metadata`. `max` bounds the entries, `itemMax` one value. */
export const StringMap = (extra: Extra = {}) => field('map', extra);
/** A free JSON object. `max` bounds its JSON in bytes. */
export const FreeMap = (extra: Extra = {}) => field('json', extra);
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
  field('mailbox', { list: true, min, max, ...extra });
export const Addresses = (min: number, max: number, extra: Extra = {}) =>
  field('address', { list: true, min, max, ...extra });

export const Optional = (): PropertyDecorator => define({ optional: true });
export const Nullable = (): PropertyDecorator => define({ nullable: true });

const field = (kind: FieldKind, extra: Extra): PropertyDecorator => define({ kind, ...extra });

function define(change: Extra): PropertyDecorator {
  return (target, name) => defineField(target.constructor as Shape, name as string, change);
}
