import { describe, expect, it } from '@jest/globals';
import { boundedText } from './bounded-text.js';

describe('a bounded text', () => {
  it.each([
    ['plain', 5, 'plain'],
    ['plain', 4, 'plai'],
    ['a\u0000b', 3, 'ab'],
    ['a\ud83d', 3, 'a\ufffd'],
    ['\ude00a', 3, '\ufffda'],
    ['ab\u{1f600}', 4, 'ab\u{1f600}'],
    ['ab\u{1f600}', 3, 'ab'],
    ['', 3, ''],
  ])('of %j with at most %d characters is %j', (text, maxLength, bounded) => {
    expect(boundedText(text, maxLength)).toBe(bounded);
  });
});
