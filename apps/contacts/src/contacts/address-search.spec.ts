import { describe, expect, it } from '@jest/globals';
import { rareParts } from './address-search.js';

describe('the parts of a term that are looked up', () => {
  const addresses = Array.from({ length: 100 }, (_, place) => `reader-${5_000 + place}@${place < 60 ? 'mail' : 'firm'}.example`);

  it.each([
    ['reader-1002', ['-1002']],
    ['anna@mail.example', ['anna@']],
    ['anna.lee@firm', ['anna.', '.lee@']],
    ['.lee@mail.', ['.lee@']],
    ['jürgen@mail', ['jürgen@']],
  ])('of %s are those of its rare words', (term, parts) => {
    expect(rareParts(term, addresses)).toEqual(parts);
  });

  it.each([
    ['anna', 'one word'],
    ['anna-lee', 'all of them are rare'],
    ['reader@mail', 'none of them is'],
    ['reader-5', 'what is left of it is common'],
    ['reader-77', 'what is left of it has less than three letters'],
    ['@.', 'no words'],
    ['', 'nothing'],
  ])('are none for %s: %s', (term) => {
    expect(rareParts(term, addresses)).toEqual([]);
  });

  it('are none while Postgres has not looked at the addresses', () => {
    expect(rareParts('anna@mail.example', [])).toEqual([]);
  });
});
