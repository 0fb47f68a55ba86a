export interface Retry {
  attempts: number;
  firstMs: number;
  maxMs: number;
}

export const defaultRetry: Retry = { attempts: 10, firstMs: 1_000, maxMs: 300_000 };

const jitter = 0.1;

export function retryDelay(
  { attempts, firstMs, maxMs: longestMs }: Retry,
  failures: number,
  random = Math.random,
): number | null {
  if (failures >= attempts) return null;
  const wait = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(wait * (1 + random() * jitter));
}
