import { parseInstant } from './instant.js';
import { fieldsOf, type Field, type Shape } from './field.js';
import { Base64Text } from './texts/base64-text.js';

/** First millisecond of the year 10000, which has another form of text. */
const tooLate = 253_402_300_800_000;

/** Copies a value as it would arrive if it were sent as JSON and its dates revived. Nothing is shared but strings. */
export class ArrivingCopy {
  /** Roughly, of the values copied so far. */
  bytes = 0;
  /** The copy is of no use: files have to be sent in their bytes. */
  hasFiles = false;

  of<T>(shape: Shape, value: T): T {
    return this.shaped(shape, value) as T;
  }

  plain<T>(value: T): T {
    return this.any(value) as T;
  }

  private shaped(shape: Shape, value: unknown): unknown {
    if (!isObject(value) || Array.isArray(value) || hasOwnForm(value)) return this.any(value);
    const fields = fieldsOf(shape);
    const copy: Record<string, unknown> = {};
    for (const name of Object.keys(value)) this.put(copy, name, this.member(fields[name], value[name]));
    return copy;
  }

  private member(field: Field | undefined, value: unknown): unknown {
    if (field?.kind === 'instant') return this.instant(value);
    if (field?.kind !== 'object') return this.any(value);
    const nested = field.nested!();
    return field.list && Array.isArray(value)
      ? this.list(value, (entry) => this.shaped(nested, entry))
      : this.shaped(nested, value);
  }

  private instant(value: unknown): unknown {
    if (value instanceof Date) {
      const time = value.getTime();
      if (time >= 0 && time < tooLate) {
        this.bytes += 24;
        return new Date(time);
      }
    }
    const sent = this.any(value);
    return typeof sent === 'string' ? (parseInstant(sent) ?? sent) : sent;
  }

  private any(value: unknown): unknown {
    this.bytes += 8;
    if (typeof value === 'string') {
      this.bytes += value.length;
      return value;
    }
    if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null;
    if (typeof value === 'bigint') throw new TypeError('a bigint cannot be sent');
    if (typeof value !== 'object' || value === null) return isSent(value) ? value : undefined;
    if (Array.isArray(value)) return this.list(value, (entry) => this.any(entry));
    if (value instanceof Base64Text) this.hasFiles = true;
    else if (hasOwnForm(value)) return this.any(value.toJSON());
    const copy: Record<string, unknown> = {};
    for (const name of Object.keys(value))
      this.put(copy, name, this.any((value as Record<string, unknown>)[name]));
    return copy;
  }

  private list(value: readonly unknown[], copied: (entry: unknown) => unknown): unknown[] {
    // Not `map`, which leaves the holes of a list.
    return Array.from(value, (entry) => copied(entry) ?? null);
  }

  private put(copy: Record<string, unknown>, name: string, value: unknown): void {
    if (value === undefined) return;
    this.bytes += name.length;
    // Assigning it would change the prototype.
    if (name === '__proto__')
      Object.defineProperty(copy, name, { value, writable: true, enumerable: true, configurable: true });
    else copy[name] = value;
  }
}

const isSent = (value: unknown): boolean => value === null || typeof value === 'boolean';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const hasOwnForm = (value: object): value is { toJSON: () => unknown } =>
  typeof (value as { toJSON?: unknown }).toJSON === 'function';
