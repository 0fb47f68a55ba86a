import { describe, expect, it } from '@jest/globals';
import { normaliseAddress } from './address.js';

describe('an address', () => {
  it.each([
    ['Anna@Example.COM', 'anna@example.com'],
    ['anna@Büro.example', 'anna@xn--bro-hoa.example'],
  ])('%s is normalised to %s', (text, address) => {
    expect(normaliseAddress(text)).toBe(address);
  });

  it.each([
    'anna@example.com/foo',
    'anna@example.com?x=1',
    'anna@example.com#x',
    'anna@example.com\\x',
    'anna@ex%61mple.com',
    'anna@exa\tmple.com',
    'anna@büro.example/x',
    'anna@１０.０.０.１',
    'anna@example.com:25',
  ])('that is invalid is refused, not repaired: %j', (text) => {
    expect(normaliseAddress(text)).toBeNull();
  });
});
