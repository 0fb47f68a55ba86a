import { describe, expect, it } from '@jest/globals';
import { retryDelay } from './work-kind.js';

const retry = { attempts: 6, firstMs: 100, maxMs: 500 };

describe('the delay before the next attempt', () => {
  it('doubles up to its maximum, and ends with the last attempt', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((failures) => retryDelay(retry, failures, () => 0));
    expect(waits).toEqual([100, 200, 400, 500, 500, null, null]);
  });

  it('has a random addition of up to a tenth', () => {
    expect(retryDelay(retry, 1, () => 0.5)).toBe(105);
    expect(retryDelay(retry, 4, () => 1)).toBe(550);
  });

  it('stays at its maximum after thousands of failures', () => {
    expect(retryDelay({ ...retry, attempts: 1e6 }, 5_000, () => 0)).toBe(500);
  });
});
