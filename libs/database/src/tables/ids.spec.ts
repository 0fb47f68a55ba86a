import { describe, expect, it } from '@jest/globals';
import { isUuid } from '@posthorn/contracts';
import { instantOf, newId } from './ids.js';

describe('newId', () => {
  it('makes ascending UUIDs of version 7 with the current time', () => {
    const before = Date.now();
    const ids = Array.from({ length: 100_000 }, newId);
    expect(ids.every((id) => isUuid(id) && id[14] === '7' && /[89ab]/.test(id[19]!))).toBe(true);
    expect(ids.every((id, index) => index === 0 || id > ids[index - 1]!)).toBe(true);
    expect(instantOf(ids[0]!).getTime()).toBeGreaterThanOrEqual(before);
    expect(instantOf(ids.at(-1)!).getTime()).toBeLessThanOrEqual(Date.now());
  });

  it('has different random bits in each id', () => {
    const tails = Array.from({ length: 10_000 }, () => newId().slice(-10));
    expect(new Set(tails).size).toBe(tails.length);
  });
});
