import { describe, expect, it } from '@jest/globals';
import { nextRetry } from './retry-schedule.js';

const hour = 3_600_000;

describe('retry schedule', () => {
  it.each([
    [1, 30_000],
    [2, 60_000],
    [3, 120_000],
    [9, 7_680_000],
    [10, 4 * hour],
    [500, 4 * hour],
  ])('after %i attempts waits %i ms', (attempts, delayMs) => {
    expect(nextRetry({ attempts, windowAgeMs: 0, random: () => 0.5 })).toEqual({ retry: true, delayMs });
  });

  it.each([0, 0.25, 0.999999])('jitters within 30 s … 4 h (%f) and gives up at 24 h', (random) => {
    let waited = 0;
    let attempts = 1;
    for (
      let next = nextRetry({ attempts: 1, windowAgeMs: 0, random: () => random });
      next.retry;
      next = nextRetry({ attempts: ++attempts, windowAgeMs: waited, random: () => random })
    ) {
      expect(next.delayMs).toBeLessThanOrEqual(4 * hour);
      if (waited + next.delayMs < 24 * hour) expect(next.delayMs).toBeGreaterThanOrEqual(30_000);
      waited += next.delayMs;
    }
    expect(waited).toBe(24 * hour);
    expect(attempts).toBeLessThan(25);
    expect(nextRetry({ attempts, windowAgeMs: waited, random: () => random })).toEqual({
      retry: false,
      failureKind: 'provider_unavailable',
    });
  });
});
