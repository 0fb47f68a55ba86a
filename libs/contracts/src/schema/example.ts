import { fieldsOf, type Field, type FieldKind, type Shape } from './field.js';

/** A deterministic JSON value of the shape, with every optional member. */
export function exampleOf(shape: Shape): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fieldsOf(shape)).map(([name, field], index) => [name, exampleMember(name, field, index)]),
  );
}

function exampleMember(name: string, field: Field, index: number): unknown {
  if (field.example !== undefined) return field.example;
  if (!field.list) return examples[field.kind](field, name, index);
  const item = examples[field.kind]({ ...field, min: field.itemMin, max: field.itemMax }, name, index);
  return Array.from({ length: Math.max(field.min ?? 0, 1) }, () => item);
}

const examples: Record<FieldKind, (field: Field, name: string, index: number) => unknown> = {
  id: (_, __, index) => `01980a5c-1b2d-7c3e-8f40-${String(index + 1).padStart(12, '0')}`,
  text: ({ min = 0, max = Infinity }, name) => name.padEnd(min, '-').slice(0, max),
  flag: () => true,
  count: ({ min = 0 }) => Math.max(min, 1),
  number: ({ min = 0 }) => Math.max(min, 0.5),
  instant: () => '2026-01-31T09:00:00.000Z',
  address: () => 'ada@example.com',
  mailbox: () => ({ email: 'ada@example.com', name: 'Ada' }),
  choice: ({ values = [] }) => values[0],
  object: ({ nested }) => exampleOf(nested!()),
  map: () => ({ 'x-example': 'value' }),
  json: () => ({ plan: 'pro' }),
};
