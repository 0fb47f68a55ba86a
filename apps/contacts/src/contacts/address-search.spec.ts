import { describe, expect, it } from '@jest/globals';
import { asStored, rareTerms } from './address-search.js';

describe('the terms of a search that use the index', () => {
  const addresses = Array.from(
    { length: 100 },
    (_, index) => `reader-${5_000 + index}@${index < 60 ? 'mail' : 'firm'}.example`,
  );

  it.each([
    ['reader-1002', ['1002']],
    ['reader-5042', ['5042']],
    ['anna@mail.example', ['anna']],
    ['anna.lee@firm', ['anna', 'lee']],
    ['.lee@mail.', ['lee']],
    ['jürgen@mail', ['rgen']],
    ['😀anna@mail', ['anna']],
    ['анна@mail.anna', ['anna']],
    ['jo.anna@mail', ['anna']],
    ['anna-lee', ['anna', 'lee']],
    ['lee@', ['lee']],
  ])('are the rare ones for %s', (term, texts) => {
    expect(rareTerms(term, addresses)).toEqual(texts);
  });

  it.each([
    ['anna', 'one word'],
    ['reader@mail', 'none of them is'],
    ['reader-504', 'what is left of it is common'],
    ['reader-77', 'what is left of it has less than three letters'],
    ['анна@mail', 'the index may have no places of it'],
    ['@.', 'no words'],
    ['', 'nothing'],
  ])('are none for %s: %s', (term) => {
    expect(rareTerms(term, addresses)).toEqual([]);
  });

  it('are none before ANALYZE has sampled the addresses', () => {
    expect(rareTerms('anna@mail.example', [])).toEqual([]);
  });
});

it.each([
  ['Anna', 'anna'],
  [' anna@mail.example ', 'anna@mail.example'],
  ['Anna@Büro.example', 'anna@xn--bro-hoa.example'],
  ['jürgen@BÜRO.example', 'jürgen@xn--bro-hoa.example'],
  ['anna@ü b', 'anna@ü b'],
  ['anna@büro/x', 'anna@büro/x'],
  ['anna@ü%', 'anna@ü%'],
  ['anna@bü', 'anna@xn--b-eha'],
  ['jürgen@', 'jürgen@'],
  ['jürgen@firm', 'jürgen@firm'],
  ['@firm', '@firm'],
  ['a@b@firm', 'a@b@firm'],
  ['anna@mail.', 'anna@mail.'],
  ['anna@1', 'anna@1'],
  ['anna@10.0', 'anna@10.0'],
  ['anna@50%', 'anna@50%'],
  [' ', ' '],
])('a search for %j is normalised to %j', (term, stored) => {
  expect(asStored(term)).toBe(stored);
});
