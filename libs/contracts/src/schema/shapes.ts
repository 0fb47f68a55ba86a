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
  return Joined;
}

function copyField(from: Shape, to: Shape, name: string): void {
  const field = fieldsOf(from)[name];
  if (!field) throw new Error(`${from.name} has no member ${name}`);
  defineField(to, name, field);
  applyAndRemember(to, name, appliedTo(from, name));
}
