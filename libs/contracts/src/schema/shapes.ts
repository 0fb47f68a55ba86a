import { ValidateIf } from 'class-validator';
import { appliedTo, applyAndRemember, defineField, fieldsOf, type Shape } from './field.js';

export function PickFields<T extends object, K extends keyof T & string>(
  from: Shape<T>,
  names: readonly K[],
): Shape<Pick<T, K>> {
  const Picked = class {} as Shape<Pick<T, K>>;
  for (const name of names) copyField(from, Picked, name);
  return Picked;
}

/** Makes every member optional: in a patch, absent members are unchanged and null clears. */
export function PartialFields<T extends object>(from: Shape<T>): Shape<Partial<T>> {
  const Partial = class {} as Shape<Partial<T>>;
  for (const name of Object.keys(fieldsOf(from))) {
    copyField(from, Partial, name);
    defineField(Partial, name, { optional: true });
    applyAndRemember(Partial, name, [ValidateIf((_, value) => value !== undefined)]);
  }
  return Partial;
}

export function JoinFields<A extends object, B extends object>(
  first: Shape<A>,
  second: Shape<B>,
): Shape<A & B> {
  const Joined = class {} as Shape<A & B>;
  for (const from of [first, second])
    for (const name of Object.keys(fieldsOf(from))) copyField(from, Joined, name);
  joined.set(Joined, [first, second]);
  return Joined;
}

const joined = new WeakMap<object, readonly Shape[]>();

/**
 * What a request still has to say where its path, or a list of pages, says the members `said`: the shape that was joined
 * with them or extended by them. Null if nothing is left.
 */
export function restOf(shape: Shape, said: readonly string[]): Shape | null {
  const left = Object.keys(fieldsOf(shape)).filter((name) => !said.includes(name));
  if (left.length === 0) return null;
  const rest = partsOf(shape).find((part) => hasExactly(part, left));
  if (!rest) throw new Error(`no part of ${shape.name} has only ${left.join(', ')}`);
  return rest;
}

function partsOf(shape: Shape): Shape[] {
  const parent = Object.getPrototypeOf(shape) as Shape;
  const parts = [...(joined.get(shape) ?? []), ...(parent === Function.prototype ? [] : [parent])];
  return [shape, ...parts.flatMap(partsOf)];
}

function hasExactly(shape: Shape, names: readonly string[]): boolean {
  const own = Object.keys(fieldsOf(shape));
  return own.length === names.length && own.every((name) => names.includes(name));
}

function copyField(from: Shape, to: Shape, name: string): void {
  const field = fieldsOf(from)[name];
  if (!field) throw new Error(`${from.name} has no member ${name}`);
  defineField(to, name, field);
  applyAndRemember(to, name, appliedTo(from, name));
}
