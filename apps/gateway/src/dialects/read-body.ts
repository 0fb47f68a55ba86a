import { tryParse, type InvalidMember, type Shape } from '@posthorn/contracts';
import { scanBody } from '../wire/bodies/body-guard.js';
import { RefusedMembers } from '../wire/errors.js';
import { memberFaults } from '../wire/bodies/parse-body.js';
import { unknownField } from './unknown-field.js';
import type { NamedField, ShapeNames } from './shape-names.js';

/** Reports every failure at once, in the names of the dialect. */
export function readBody<T extends object>(names: ShapeNames, shape: Shape<T>, plain: object): T {
  const refused: InvalidMember[] = [];
  const renamed = new Renaming(names, refused).members(shape, plain, []);
  const { value, failures } = tryParse(shape, renamed);
  const all = [...refused, ...names.failures(shape, failures)];
  if (all.length > 0) throw new RefusedMembers(all);
  return value;
}

const maxSuggestions = 20;

class Renaming {
  constructor(
    private readonly names: ShapeNames,
    private readonly refused: InvalidMember[],
  ) {}

  members(shape: Shape, plain: object, path: readonly string[]): Record<string, unknown> {
    const table = this.names.of(shape).read;
    const renamed: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(plain)) {
      const named = table.get(name);
      if (!named) this.refuse([...path, name], 'unknown_field', this.unknown(name, table.keys()));
      else if (Object.hasOwn(renamed, named.contractName))
        this.refuse([...path, name], 'not_allowed', 'sets a field that is already set under another name');
      else renamed[named.contractName] = this.value(named, value, [...path, name]);
    }
    return renamed;
  }

  private value({ field, asText }: NamedField, value: unknown, path: readonly string[]): unknown {
    if (asText && typeof value === 'string') return this.text(value, path);
    if (field.kind !== 'object' || !field.nested) return value;
    const shape = field.nested();
    const one = (entry: unknown, at: readonly string[]) =>
      isObject(entry) ? this.members(shape, entry, at) : entry;
    return field.list && Array.isArray(value)
      ? value.map((entry, index) => one(entry, [...path, String(index)]))
      : one(value, path);
  }

  /** JSON inside a string has not been checked by the body scanner yet. */
  private text(text: string, path: readonly string[]): unknown {
    const fault = scanBody(Buffer.from(text));
    if (fault) {
      const { code, message } = memberFaults[fault.kind];
      this.refuse([...path], code, message);
      return {};
    }
    return parsed(text);
  }

  /** Only for so many, because a body may have thousands. */
  private unknown(name: string, known: Iterable<string>): string {
    return unknownField('field', name, this.refused.length < maxSuggestions ? known : []);
  }

  private refuse(path: string[], code: InvalidMember['code'], message: string): void {
    this.refused.push({ path, code, message });
  }
}

/** Invalid JSON stays a string, which the shape refuses. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
