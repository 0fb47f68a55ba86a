import { describe, expect, it } from '@jest/globals';
import { usedPart } from './used-variables.js';

const variables = {
  contact: {
    email: 'a@example.org',
    data: { plan: { name: 'pro', deep: { er: [1] } }, notes: 'x'.repeat(40_000) },
  },
  event: { total: 1, items: [{ sku: 'a', price: 2 }] },
  steps: {},
};

describe('the part of the variables that is used', () => {
  it.each<[string, (string | number)[][], object]>([
    ['nothing', [], {}],
    ['one field', [['contact', 'email']], { contact: { email: 'a@example.org' } }],
    [
      'a part of a field',
      [['contact', 'data', 'plan', 'name']],
      { contact: { data: { plan: { name: 'pro' } } } },
    ],
    [
      'a list, whatever is used of it',
      [['event', 'items', 0, 'sku']],
      { event: { items: [{ sku: 'a', price: 2 }] } },
    ],
    [
      'what is not there',
      [
        ['event', 'missing'],
        ['nobody', 'x'],
      ],
      { event: {} },
    ],
    ['the whole, though also a part', [['event'], ['event', 'total']], { event: variables.event }],
    ['names of prototypes', [['__proto__', 'x'], ['constructor']], {}],
  ])('is %s', (_, paths, part) => {
    expect(usedPart(variables, paths)).toEqual(part);
  });
});
