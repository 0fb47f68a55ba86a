import { describe, expect, it } from '@jest/globals';
import { HeldBytes } from './held-bytes.js';

const megabytes = (count: number) => ({ bytes: count * 1024 * 1024 });

describe('the memory of messages', () => {
  it('is counted apart for large messages, so that small ones are not blocked', () => {
    const held = new HeldBytes();
    const large = [megabytes(14), megabytes(14)];
    held.add(large);
    held.add([megabytes(1)]);
    expect(held.capacity).toEqual({
      small: megabytes(31).bytes,
      large: -megabytes(4).bytes,
      anySizeFits: false,
    });
    expect(held.remove([large[0]!])).toBe(true);
    expect(held.remove([large[1]!])).toBe(true);
    expect(held.capacity).toMatchObject({ large: megabytes(24).bytes, anySizeFits: true });
  });

  it('follows the composed size, is freed once, and reports when waiting claims may continue', () => {
    const held = new HeldBytes();
    const [filling, other] = [Array.from({ length: 32 }, () => megabytes(1)), megabytes(0.5)];
    held.add([...filling, other]);
    expect(held.capacity.small).toBeLessThan(0);
    held.resize(other, megabytes(2).bytes);
    expect(held.remove([other])).toBe(false);
    expect(held.capacity.small).toBe(0);
    expect(held.remove([filling[0]!])).toBe(true);
    expect(held.remove([filling[0]!])).toBe(false);
    expect(held.capacity.small).toBe(megabytes(1).bytes);
  });
});
