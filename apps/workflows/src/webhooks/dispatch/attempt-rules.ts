import type { OutboundResult } from '@posthorn/outbound';

/** After each failed attempt, in seconds; the first attempt is at once, and after the last none follows (docs/api-decisions.md §8). */
export const retrySeconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000] as const;
/** Of the call of a step, whose execution waits for it (docs/api-decisions.md §7). */
const stepRetrySeconds = [5, 30, 120, 600, 1_800] as const;
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
  if (isSuccess(result)) return { kind: 'success' };
  if (result.kind === 'response' && result.status === goneStatus) return { kind: 'gone' };
  return retryOf(result, retrySeconds[attempt - 1]);
}

/** Only what may pass is tried again: no answer, too many requests, and failures of the server. */
export function outcomeOfStepAttempt(result: OutboundResult, attempt: number): AttemptOutcome {
  if (isSuccess(result)) return { kind: 'success' };
  return mayPass(result) ? retryOf(result, stepRetrySeconds[attempt - 1]) : { kind: 'failed' };
}

export function mayPass(result: OutboundResult): boolean {
  if (result.kind === 'response') return result.status === 429 || result.status >= 500;
  return result.kind === 'failed';
}

const isSuccess = (result: OutboundResult): boolean =>
  result.kind === 'response' && result.status >= 200 && result.status < 300;

function retryOf(result: OutboundResult, planned: number | undefined): AttemptOutcome {
  if (planned === undefined) return { kind: 'failed' };
  const asked = result.kind === 'response' ? retryAfterSeconds(result.retryAfter) : 0;
  return { kind: 'retry', inSeconds: Math.max(planned, asked) };
}

/** Seconds only; a date depends on somebody else's clock. */
function retryAfterSeconds(header: string | null): number {
  const seconds = header !== null && /^\d{1,9}$/.test(header) ? Number(header) : 0;
  return Math.min(seconds, longestRetryAfterSeconds);
}
