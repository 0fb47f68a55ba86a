import { describe, expect, it } from '@jest/globals';
import { retryDelay } from './retry.js';

const retry = { attempts: 6, firstMs: 100, maxMs: 500 };

describe('the wait before the next try', () => {
  it('doubles up to the longest one, and ends with the last try', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((failures) => retryDelay(retry, failures, () => 0));
    expect(waits).toEqual([100, 200, 400, 500, 500, null, null]);
  });

  it('is up to a tenth longer at random', () => {
    expect(retryDelay(retry, 1, () => 0.5)).toBe(105);
    expect(retryDelay(retry, 4, () => 1)).toBe(550);
  });

  it('stays the longest one after thousands of failures', () => {
    expect(retryDelay({ ...retry, attempts: 1e6 }, 5_000, () => 0)).toBe(500);
  });
});
