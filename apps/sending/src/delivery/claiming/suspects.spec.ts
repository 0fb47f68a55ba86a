import { describe, expect, it } from '@jest/globals';
import { Suspects } from './suspects.js';

const message = (claims: number, bytes = 1_000) => ({ claims, bytes });

describe('suspects of one process', () => {
  it('has room for more as soon as half of those that may be claimed together are gone', () => {
    const suspects = new Suspects();
    expect(suspects.room).toEqual({ limit: 16, alone: true });
    const first = Array.from({ length: 16 }, () => message(2));
    suspects.add(first);
    expect(suspects.room).toBeNull();
    expect(suspects.remove(first.slice(0, 7))).toBe(false);
    expect(suspects.remove(first.slice(7, 9))).toBe(true);
    expect(suspects.room).toEqual({ limit: 9, alone: false });
  });

  it('has no room beside one that must be alone', () => {
    for (const lonely of [message(3), message(2, 10_000_000)]) {
      const suspects = new Suspects();
      suspects.add([lonely]);
      expect(suspects.room).toBeNull();
      expect(suspects.remove([lonely])).toBe(true);
      expect(suspects.remove([lonely])).toBe(false);
      expect(suspects.room).toEqual({ limit: 16, alone: true });
    }
  });
});
