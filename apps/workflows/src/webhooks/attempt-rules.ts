import type { OutboundResult } from '@posthorn/outbound';

/** After each failed attempt, in seconds; the first attempt is at once, and after the last none follows (docs/api-decisions.md §8). */
export const retrySeconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000] as const;
export const maxFailuresInRow = 100;
export const maxDaysWithoutSuccess = 3;
const goneStatus = 410;
const longestRetryAfterSeconds = 86_400;

export type AttemptOutcome =
  | { kind: 'success' }
  /** The endpoint wants no more. */
  | { kind: 'gone' }
  | { kind: 'retry'; inSeconds: number }
  | { kind: 'failed' };

/** What follows the n-th attempt of a call (1 for the first). A subscription follows no redirect, so 3xx is a failure. */
export function outcomeOfAttempt(result: OutboundResult, attempt: number): AttemptOutcome {
  const isResponse = result.kind === 'response';
  if (isResponse && result.status >= 200 && result.status < 300) return { kind: 'success' };
  if (isResponse && result.status === goneStatus) return { kind: 'gone' };
  const planned = retrySeconds[attempt - 1];
  if (planned === undefined) return { kind: 'failed' };
  return {
    kind: 'retry',
    inSeconds: Math.max(planned, isResponse ? retryAfterSeconds(result.retryAfter) : 0),
  };
}

/** Seconds only; a date depends on somebody else's clock. */
function retryAfterSeconds(header: string | null): number {
  const seconds = header !== null && /^\d{1,9}$/.test(header) ? Number(header) : 0;
  return Math.min(seconds, longestRetryAfterSeconds);
}
