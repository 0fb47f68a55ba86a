import { describe, expect, it } from '@jest/globals';
import { rateLimitHeaders, isExceeded } from './rate-limit-state.js';

const state = { limit: 10, used: 1, resetAt: 1_800_000_000, resetIn: 1 };

describe('the rate-limit headers', () => {
  it('are those of the API specification on v1', () => {
    expect(rateLimitHeaders(state, 'v1', 'SECRET')).toEqual({
      'ratelimit-policy': '"per-key";q=10;w=1',
      ratelimit: '"per-key";r=9;t=1',
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '9',
      'x-ratelimit-reset': '1800000000',
    });
  });

  it.each(['v1', 'legacy'] as const)('are none for a session on %s', (surface) => {
    expect(rateLimitHeaders(state, surface, 'SESSION')).toEqual({});
  });

  it('are only the older ones on the legacy surface, and never negative', () => {
    expect(rateLimitHeaders({ ...state, used: 12 }, 'legacy', 'SECRET')).toEqual({
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '1800000000',
    });
    expect([10, 11].map((used) => isExceeded({ ...state, used }))).toEqual([false, true]);
  });
});
