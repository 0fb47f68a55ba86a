import 'reflect-metadata';

export type Shape<T extends object = object> = new () => T;

/** What one member of a shape is: enough to validate it, to write its JSON schema and to say it in either dialect. */
export interface Field {
  kind: FieldKind;
  optional: boolean;
  nullable: boolean;
  /** A member is a list of `kind`. `min` and `max` then bound its length; `itemMin` and `itemMax` bound one entry. */
  list: boolean;
  min?: number;
  max?: number;
  itemMin?: number;
  itemMax?: number;
  /** How deep a free object may be nested, the root being 1; 5 unless said otherwise. */
  depth?: number;
  values?: readonly string[];
  /** More values may come with any release: a reader takes texts that it does not know (1–64 characters). */
  open?: boolean;
  pattern?: RegExp;
  /** Text that may be left in its bytes where it is long; its pattern is that of base64. */
  base64?: boolean;
  /** Control characters CR and LF are refused: the value becomes a header. */
  oneLine?: boolean;
  nested?: () => Shape;
  /** Other names that the legacy surface accepts for this member in a request. */
  legacyAliases?: readonly string[];
  /** The v1 surface says this object as a string holding JSON (docs/api-decisions.md §1). */
  v1JsonText?: boolean;
  /** The legacy surface leaves the member out of its answers. */
  v1Only?: boolean;
  /** The v1 surface leaves the member out of its answers. */
  legacyOnly?: boolean;
  /** A code of the registry of errors: each surface has its own way to say it. */
  errorCode?: boolean;
  describe?: string;
  /** What documents show, where the kind alone makes no fitting value. */
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
// Asked for each member of each item of each event: metadata of decorators would be looked up by its key every time.
const tables = new WeakMap<object, FieldTable>();
const noFields: FieldTable = {};

/** Every member of a shape, inherited ones included, in the order of declaration. */
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

/** Decorators that a shape made from another one must receive too. */
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
