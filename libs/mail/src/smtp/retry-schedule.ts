const defaultFirstMs = 30_000;
const maxDelayMs = 4 * 3_600_000;
const givesUpAfterMs = 24 * 3_600_000;

export type RetryDecision =
  { retry: true; delayMs: number } | { retry: false; failureKind: 'provider_unavailable' };

export interface RetryTime {
  attempts: number;
  windowAgeMs: number;
  random: () => number;
  firstMs?: number;
}

/** Delays double from the first one to 4 h, each ±20 % within these two so that messages do not return all at once, for 24 h. */
export function nextRetry({
  attempts,
  windowAgeMs,
  random,
  firstMs = defaultFirstMs,
}: RetryTime): RetryDecision {
  if (windowAgeMs >= givesUpAfterMs) return { retry: false, failureKind: 'provider_unavailable' };
  const doubled = firstMs * 2 ** Math.min(Math.max(attempts - 1, 0), 20);
  const jittered = Math.min(doubled, maxDelayMs) * (0.8 + random() * 0.4);
  const bounded = Math.min(Math.max(jittered, firstMs), maxDelayMs);
  return { retry: true, delayMs: Math.round(Math.min(bounded, givesUpAfterMs - windowAgeMs)) };
}
