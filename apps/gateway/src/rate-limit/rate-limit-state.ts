import type { RateLimitedKind } from '../routes/route.js';
import type { Surface } from '../routes/route-request.js';

export interface RateLimitState {
  limit: number;
  used: number;
  /** Unix time in seconds at which the window ends. */
  resetAt: number;
  resetIn: number;
}

export const isExceeded = ({ used, limit }: RateLimitState): boolean => used > limit;

/** Headers of the IETF draft plus the older ones; the legacy surface has only the older ones, and sessions have none. */
export function rateLimitHeaders(
  { limit, used, resetAt, resetIn }: RateLimitState,
  surface: Surface,
  kind: RateLimitedKind,
): Record<string, string> {
  if (kind === 'SESSION') return {};
  const remaining = Math.max(0, limit - used);
  const older = {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAt),
  };
  if (surface === 'legacy') return older;
  return {
    'ratelimit-policy': `"per-key";q=${limit};w=1`,
    ratelimit: `"per-key";r=${remaining};t=${resetIn}`,
    ...older,
  };
}
