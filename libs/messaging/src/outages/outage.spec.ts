import { describe, expect, it } from '@jest/globals';
import { Repeats } from './outage.js';

describe('a line', () => {
  it('is no news when it repeats an earlier one but for its numbers', () => {
    const repeats = new Repeats();
    const lines = [
      '3 outcomes wait: read ECONNRESET',
      '12 outcomes wait: read ECONNRESET',
      'no claims: read ECONNRESET',
    ];
    expect(lines.map((line) => repeats.isNew(line))).toEqual([true, false, true]);
  });
});
