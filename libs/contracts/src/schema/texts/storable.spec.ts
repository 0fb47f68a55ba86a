import { describe, expect, it } from '@jest/globals';
import { storableJson, storableText } from './storable.js';

const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('what can be stored of a text from outside', () => {
  it('has no NUL and no lone surrogate', () => {
    expect(storableText('a\0b\ud800c\u{1f600}')).toBe('ab\ufffdc\u{1f600}');
    expect(storableText('a\0b', '\ufffd')).toBe('a\ufffdb');
  });

  it('is the JSON in it, with texts and names that can be stored', () => {
    expect(storableJson(' {"a\\u0000": ["\\ud800", {"b": "\\u0000"}], "c": 1e999, "d": null}')).toEqual({
      'a\ufffd': ['\ufffd', { b: '\ufffd' }],
      c: Infinity,
      d: null,
    });
    expect(Object.keys(storableJson('{"__proto__": 1}')!)).toEqual(['__proto__']);
  });

  it.each(['', 'plain', '"text"', '1', '[', '{"a":', '[1,]', '{} {}'])(
    'is no JSON where it is %j',
    (text) => {
      expect(storableJson(text)).toBeUndefined();
    },
  );

  it('is no JSON where it is nested too deep, whatever its texts contain', () => {
    expect(storableJson(nested(32))).toBeDefined();
    expect(storableJson(nested(33))).toBeUndefined();
    expect(storableJson(nested(1_000_000))).toBeUndefined();
    expect(storableJson(`["${'['.repeat(100)}", "\\"${'{'.repeat(100)}"]`)).toBeDefined();
  });
});
