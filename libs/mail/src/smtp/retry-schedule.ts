const defaultFirstMs = 30_000;
const maxDelayMs = 4 * 3_600_000;
const givesUpAfterMs = 24 * 3_600_000;

export type RetryDecision =
  { retry: true; delayMs: number } | { retry: false; failureKind: 'provider_unavailable' };

export interface RetryTime {
  /** Attempts made so far. */
  attempts: number;
  /** Since the first one. */
  waitedMs: number;
  /** Gives [0, 1). */
  random: () => number;
  /** The first wait; 30 s unless said otherwise. */
  firstMs?: number;
}

/**
 * When a message that was refused for now is tried again: the first wait doubling to 4 h, each ±20 % so that a crowd does not come back at once, for
 * 24 h.
 */
export function nextRetry({
  attempts,
  waitedMs,
  random,
  firstMs = defaultFirstMs,
}: RetryTime): RetryDecision {
  if (waitedMs >= givesUpAfterMs) return { retry: false, failureKind: 'provider_unavailable' };
  const doubled = firstMs * 2 ** Math.min(Math.max(attempts - 1, 0), 20);
  const jittered = Math.min(doubled, maxDelayMs) * (0.8 + random() * 0.4);
  const bounded = Math.min(Math.max(jittered, firstMs), maxDelayMs);
  // The last try falls on the end of the 24 hours, not before it.
  return { retry: true, delayMs: Math.round(Math.min(bounded, givesUpAfterMs - waitedMs)) };
}
