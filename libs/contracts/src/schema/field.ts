import 'reflect-metadata';

export type Shape<T extends object = object> = new () => T;

/** Describes one member: used for validation, JSON schemas and both dialects. */
export interface Field {
  kind: FieldKind;
  optional: boolean;
  nullable: boolean;
  /** A list of `kind`: `min` and `max` bound its length, `itemMin` and `itemMax` each entry. */
  list: boolean;
  min?: number;
  max?: number;
  itemMin?: number;
  itemMax?: number;
  /** Maximum depth of a free object, counting the root as 1; 5 by default. */
  depth?: number;
  values?: readonly string[];
  /** Values may be added in any release, so readers accept unknown ones (1–64 characters). */
  open?: boolean;
  pattern?: RegExp;
  /** Long values may stay in their bytes; the pattern is that of base64. */
  base64?: boolean;
  /** Requests may give an object instead of its JSON as text. */
  orMap?: boolean;
  /** CR and LF are refused, because the value becomes a header. */
  oneLine?: boolean;
  nested?: () => Shape;
  /** Other request names of this member on the legacy surface. */
  legacyAliases?: readonly string[];
  /** On v1 this object is a string holding JSON (docs/api-decisions.md §1). */
  v1JsonText?: boolean;
  v1Only?: boolean;
  legacyOnly?: boolean;
  /** An error code, which each surface writes in its own way. */
  errorCode?: boolean;
  describe?: string;
  /** Shown in documents when the kind has no fitting example. */
  example?: unknown;
}

export type FieldKind =
  | 'id'
  | 'text'
  | 'flag'
  | 'count'
  | 'number'
  | 'instant'
  | 'address'
  | 'mailbox'
  | 'choice'
  | 'object'
  | 'map'
  | 'json';

type FieldTable = Record<string, Field>;
// Read for every member of every event item, where decorator metadata would be too slow.
const tables = new WeakMap<object, FieldTable>();
const noFields: FieldTable = {};

/** Every member of a shape, including inherited ones, in order of declaration. */
export function fieldsOf(shape: Shape): Readonly<FieldTable> {
  for (
    let current: object | null = shape;
    current;
    current = Object.getPrototypeOf(current) as object | null
  ) {
    const table = tables.get(current);
    if (table) return table;
  }
  return noFields;
}

export function defineField(shape: Shape, name: string, field: Partial<Field>): void {
  const table: FieldTable = tables.get(shape) ?? { ...fieldsOf(shape) };
  const known = table[name] ?? { kind: 'text', optional: false, nullable: false, list: false };
  table[name] = { ...known, ...field };
  tables.set(shape, table);
}

type Applied = Record<string, PropertyDecorator[]>;
const appliedKey = Symbol('posthorn:applied');

export function applyAndRemember(shape: Shape, name: string, decorators: PropertyDecorator[]): void {
  const own = Reflect.getOwnMetadata(appliedKey, shape) as Applied | undefined;
  const table: Applied = own ?? {};
  table[name] = [...(table[name] ?? []), ...decorators];
  Reflect.defineMetadata(appliedKey, table, shape);
  for (const decorate of decorators) decorate(shape.prototype as object, name);
}

export function appliedTo(shape: Shape, name: string): PropertyDecorator[] {
  const chain: PropertyDecorator[] = [];
  for (
    let current: object | null = shape;
    current && current !== Function.prototype;
    current = Object.getPrototypeOf(current) as object | null
  ) {
    const table = Reflect.getOwnMetadata(appliedKey, current) as Applied | undefined;
    chain.push(...(table?.[name] ?? []));
  }
  return chain;
}
