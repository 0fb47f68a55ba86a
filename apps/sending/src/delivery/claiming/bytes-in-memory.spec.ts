import { describe, expect, it } from '@jest/globals';
import { BytesInMemory } from './bytes-in-memory.js';

const megabytes = (count: number) => ({ bytes: count * 1024 * 1024 });

describe('the memory of messages', () => {
  it('is counted apart for large messages, so that small ones are not blocked', () => {
    const inMemory = new BytesInMemory();
    const large = [megabytes(14), megabytes(14)];
    inMemory.add(large);
    inMemory.add([megabytes(1)]);
    expect(inMemory.free).toEqual({
      small: megabytes(31).bytes,
      large: -megabytes(4).bytes,
      anySizeFits: false,
    });
    expect(inMemory.remove([large[0]!])).toBe(true);
    expect(inMemory.remove([large[1]!])).toBe(true);
    expect(inMemory.free).toMatchObject({ large: megabytes(24).bytes, anySizeFits: true });
  });

  it('follows the composed size, is freed once, and reports when waiting claims may continue', () => {
    const inMemory = new BytesInMemory();
    const [filling, other] = [Array.from({ length: 32 }, () => megabytes(1)), megabytes(0.5)];
    inMemory.add([...filling, other]);
    expect(inMemory.free.small).toBeLessThan(0);
    inMemory.resize(other, megabytes(2).bytes);
    expect(inMemory.remove([other])).toBe(false);
    expect(inMemory.free.small).toBe(0);
    expect(inMemory.remove([filling[0]!])).toBe(true);
    expect(inMemory.remove([filling[0]!])).toBe(false);
    expect(inMemory.free.small).toBe(megabytes(1).bytes);
  });
});
