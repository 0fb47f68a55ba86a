import { fieldsOf, type Field, type InvalidMember, type Shape } from '@posthorn/contracts';

export interface Naming {
  dialectName(name: string): string;
  aliases(field: Field): readonly string[];
  shows(field: Field): boolean;
  /** Whether an object is written as a string holding JSON. */
  asText(field: Field): boolean;
  code(code: string): string;
}

export interface NamedField {
  contractName: string;
  dialectName: string;
  field: Field;
  asText: boolean;
}

interface Names {
  read: ReadonlyMap<string, NamedField>;
  byContractName: ReadonlyMap<string, NamedField>;
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
    const named = this.of(shape).byContractName.get(name);
    if (!named) return [...path];
    const { field, dialectName } = named;
    if (field.kind !== 'object' || !field.nested) return [dialectName, ...rest];
    const [index, ...inside] = rest;
    return field.list && index !== undefined
      ? [dialectName, index, ...this.path(field.nested(), inside)]
      : [dialectName, ...this.path(field.nested(), rest)];
  }

  failures(shape: Shape, failures: readonly InvalidMember[]): InvalidMember[] {
    return failures.map((failure) => ({ ...failure, path: this.path(shape, failure.path) }));
  }

  private make(shape: Shape): Names {
    const { dialectName, aliases, shows, asText } = this.naming;
    const read = new Map<string, NamedField>();
    const byContractName = new Map<string, NamedField>();
    const shown: NamedField[] = [];
    for (const [contractName, field] of Object.entries(fieldsOf(shape))) {
      const named: NamedField = {
        contractName,
        dialectName: dialectName(contractName),
        field,
        asText: asText(field),
      };
      for (const name of [named.dialectName, ...aliases(field)]) read.set(name, named);
      byContractName.set(contractName, named);
      if (shows(field)) shown.push(named);
    }
    return { read, byContractName, shown };
  }
}
