import { describe, expect, it } from '@jest/globals';
import { nameOfCopy } from './copies.js';

describe('the name of a copy', () => {
  it.each([
    ['Spring', 'Spring (copy)'],
    ['Spring (copy)', 'Spring (copy) (copy)'],
    ['x'.repeat(193), `${'x'.repeat(193)} (copy)`],
    ['x'.repeat(200), `${'x'.repeat(193)} (copy)`],
    [`${'x'.repeat(192)}🐦🐦`, `${'x'.repeat(192)} (copy)`],
    [`${'x'.repeat(191)}🐦🐦`, `${'x'.repeat(191)}🐦 (copy)`],
  ])('of %s', (name, copy) => {
    expect(nameOfCopy(name, 200)).toBe(copy);
    expect(copy.length <= 200 && copy.isWellFormed()).toBe(true);
  });
});
