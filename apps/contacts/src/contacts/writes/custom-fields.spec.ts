import { describe, expect, it } from '@jest/globals';
import { mergeFields, withoutNulls } from './custom-fields.js';

describe('custom fields', () => {
  it('are merged by name; a null removes a field, others stay', () => {
    const merged = mergeFields(
      { a: 1, b: { deep: true, other: 1 }, c: 'x' },
      { a: null, b: { deep: false }, d: [null] },
    );
    expect(merged).toEqual({ b: { deep: false }, c: 'x', d: [null] });
  });

  it('contain no nulls and only own members', () => {
    expect(withoutNulls({ a: null, b: 0, c: '', d: false })).toEqual({ b: 0, c: '', d: false });
    const hostile = JSON.parse('{"__proto__": {"polluted": true}}') as Record<string, unknown>;
    const merged = mergeFields({ a: 1 }, hostile);
    expect(Object.keys(merged)).toEqual(['a', '__proto__']);
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });

  it('cannot exceed 64 KiB by many small merges', () => {
    const known = { a: 'x'.repeat(40_000) };
    expect(() => mergeFields(known, { b: 'y'.repeat(40_000) })).toThrow('One or more fields are invalid');
    expect(mergeFields(known, { a: null, b: 'y'.repeat(40_000) })).toEqual({ b: 'y'.repeat(40_000) });
  });
});
