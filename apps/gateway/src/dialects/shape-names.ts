import { fieldsOf, type Field, type InvalidMember, type Shape } from '@posthorn/contracts';

export interface Naming {
  outer(name: string): string;
  aliases(field: Field): readonly string[];
  shows(field: Field): boolean;
  /** Whether an object is written as a string holding JSON. */
  asText(field: Field): boolean;
  code(code: string): string;
}

export interface NamedField {
  inner: string;
  outer: string;
  field: Field;
  asText: boolean;
}

interface Names {
  read: ReadonlyMap<string, NamedField>;
  byInner: ReadonlyMap<string, NamedField>;
  shown: readonly NamedField[];
}

export class ShapeNames {
  private readonly tables = new WeakMap<Shape, Names>();

  constructor(private readonly naming: Naming) {}

  code(code: string): string {
    return this.naming.code(code);
  }

  of(shape: Shape): Names {
    const known = this.tables.get(shape);
    if (known) return known;
    const names = this.make(shape);
    this.tables.set(shape, names);
    return names;
  }

  path(shape: Shape, path: readonly string[]): string[] {
    const [name, ...rest] = path;
    if (name === undefined) return [];
    const named = this.of(shape).byInner.get(name);
    if (!named) return [...path];
    const { field, outer } = named;
    if (field.kind !== 'object' || !field.nested) return [outer, ...rest];
    const [index, ...inside] = rest;
    return field.list && index !== undefined
      ? [outer, index, ...this.path(field.nested(), inside)]
      : [outer, ...this.path(field.nested(), rest)];
  }

  failures(shape: Shape, failures: readonly InvalidMember[]): InvalidMember[] {
    return failures.map((failure) => ({ ...failure, path: this.path(shape, failure.path) }));
  }

  private make(shape: Shape): Names {
    const { outer, aliases, shows, asText } = this.naming;
    const read = new Map<string, NamedField>();
    const byInner = new Map<string, NamedField>();
    const shown: NamedField[] = [];
    for (const [inner, field] of Object.entries(fieldsOf(shape))) {
      const named: NamedField = { inner, outer: outer(inner), field, asText: asText(field) };
      for (const name of [named.outer, ...aliases(field)]) read.set(name, named);
      byInner.set(inner, named);
      if (shows(field)) shown.push(named);
    }
    return { read, byInner, shown };
  }
}
