import type { InvalidMember } from '../common/errors.js';
import { fieldsOf, type Shape } from './field.js';

type Rule = (given: Readonly<Record<string, unknown>>) => Readonly<Record<string, string>>;

const rules = new WeakMap<object, Rule>();

/** Checked with the shape, so that one answer names all that is missing, before anything is done. */
export const AlsoRequired =
  (rule: Rule): ClassDecorator =>
  (shape) =>
    void rules.set(shape, rule);

export function missingMembers(shape: Shape, given: Readonly<Record<string, unknown>>): InvalidMember[] {
  const rule = ruleOf(shape);
  if (!rule) return [];
  const isMissing = (name: string): boolean =>
    given[name] === undefined || (given[name] === null && fieldsOf(shape)[name]!.nullable);
  return Object.entries(rule(given)).flatMap(([name, message]) =>
    isMissing(name) ? [{ path: [name], code: 'required', message } satisfies InvalidMember] : [],
  );
}

function ruleOf(shape: Shape): Rule | undefined {
  for (let at: object | null = shape; at; at = Object.getPrototypeOf(at) as object | null) {
    const rule = rules.get(at);
    if (rule) return rule;
  }
  return undefined;
}
