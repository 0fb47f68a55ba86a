/** When an item that failed is tried again, and how often. */
export interface Retry {
  /** Tries in all; after the last one the item is a dead letter. */
  attempts: number;
  /** The wait after the first failure, in milliseconds; it doubles with each further one. */
  firstMs: number;
  /** No wait is longer than this. */
  maxMs: number;
}

export const defaultRetry: Retry = { attempts: 10, firstMs: 1_000, maxMs: 300_000 };

/** Up to a tenth is added at random, so that items that failed together do not come back together. */
const jitter = 0.1;

/** Milliseconds until the next try after so many failures; null where the last one has been had. */
export function retryDelay(
  { attempts, firstMs, maxMs: longestMs }: Retry,
  failures: number,
  random = Math.random,
): number | null {
  if (failures >= attempts) return null;
  const wait = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(wait * (1 + random() * jitter));
}
