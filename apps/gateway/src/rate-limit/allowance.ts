import type { Surface } from '../edge/routes/call.js';

/** What a key has left in its window of one second. */
export interface Allowance {
  limit: number;
  /** Requests in the window, this one included. */
  used: number;
  /** Seconds since 1970 at which the window ends. */
  resetAt: number;
  /** Whole seconds until then, at least 1. */
  resetIn: number;
}

export const isExceeded = ({ used, limit }: Allowance): boolean => used > limit;

/** In the syntax of the IETF draft, beside the older names; the legacy surface has only those (the API specification). */
export function allowanceHeaders(
  { limit, used, resetAt, resetIn }: Allowance,
  surface: Surface,
): Record<string, string> {
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
