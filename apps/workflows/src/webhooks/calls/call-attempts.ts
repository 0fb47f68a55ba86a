import { storableText } from '@posthorn/contracts';
import { columnsOf } from '@posthorn/database';
import { outboundRefusals, type OutboundResult } from '@posthorn/outbound';

/** A request to one endpoint. */
export interface DueCall {
  id: string;
  /** Of what is sent; it becomes `webhook-id`. */
  requestId: string;
  /** All that were made. */
  attempts: number;
  /** Those since it was last replayed, which decide when the next one is. */
  retries: number;
  /** How often a process ended while it made the call. */
  claims: number;
}

export interface CallAttempt {
  call: DueCall;
  verdict: CallVerdict;
  responseStatus: number | null;
  responseBody: string | null;
  error: string | null;
  durationMs: number;
  /** Whether it says that the endpoint does not work. */
  isFault: boolean;
}

interface Judged {
  verdict: CallVerdict;
  isFault: boolean;
  maxResponse: number;
}

const maxDetail = 300;

export function attemptOf(
  call: DueCall,
  result: OutboundResult,
  { verdict, isFault, maxResponse }: Judged,
): CallAttempt {
  const isResponse = result.kind === 'response';
  return {
    call,
    verdict,
    isFault,
    durationMs: result.durationMs,
    responseStatus: isResponse ? result.status : null,
    responseBody: isResponse ? storedText(result.body, maxResponse) : null,
    error: errorOf(result),
  };
}

/** Nothing was sent, and nothing will be. */
export const unmadeAttempt = (call: DueCall, error: string): CallAttempt => ({
  call,
  error,
  verdict: { kind: 'failed' },
  isFault: false,
  responseStatus: null,
  responseBody: null,
  durationMs: 0,
});

const statusAfter = ({ kind }: CallVerdict): 'PENDING' | 'SUCCESS' | 'FAILED' => {
  if (kind === 'success') return 'SUCCESS';
  return kind === 'retry' ? 'PENDING' : 'FAILED';
};

function errorOf(result: OutboundResult): string | null {
  switch (result.kind) {
    case 'response':
      return null;
    case 'refused':
      return `The URL ${outboundRefusals[result.refusal]}`;
    case 'failed':
      return storedText(`${result.fault}: ${result.detail}`, maxDetail);
  }
}

/** In at most so many bytes. */
function storedText(text: string, maxBytes: number): string {
  const clean = storableText(text, '\ufffd');
  const bytes = Buffer.from(clean);
  return bytes.length <= maxBytes ? clean : bytes.toString('utf8', 0, maxBytes).replace(/\ufffd+$/, '');
}

export const attemptColumns = columnsOf<CallAttempt>([
  { column: 'id', type: 'uuid', value: ({ call }) => call.id },
  { column: 'attempts', type: 'int', value: ({ call }) => call.attempts },
  { column: 'status', type: 'text', value: ({ verdict }) => statusAfter(verdict) },
  {
    column: 'in_seconds',
    type: 'int',
    value: ({ verdict }) => (verdict.kind === 'retry' ? verdict.inSeconds : null),
  },
  { column: 'response_status', type: 'int', value: ({ responseStatus }) => responseStatus },
  { column: 'response_body', type: 'text', value: ({ responseBody }) => responseBody },
  { column: 'error', type: 'text', value: ({ error }) => error },
  { column: 'duration_ms', type: 'int', value: ({ durationMs }) => durationMs },
]);

/** After each failed attempt, in seconds; the first attempt is at once, and after the last none follows (docs/api-decisions.md §8). */
export const retrySeconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000] as const;
/** Of the call of a step, whose execution waits for it (docs/api-decisions.md §7). */
const stepRetrySeconds = [5, 30, 120, 600, 1_800] as const;
export const maxFailuresInRow = 100;
export const maxDaysWithoutSuccess = 3;
const goneStatus = 410;
const longestRetryAfterSeconds = 86_400;

export type CallVerdict =
  | { kind: 'success' }
  /** The endpoint wants no more. */
  | { kind: 'gone' }
  | { kind: 'retry'; inSeconds: number }
  | { kind: 'failed' };

/** What follows the n-th attempt of a call (1 for the first). A subscription follows no redirect, so 3xx is a failure. */
export function verdictOfAttempt(result: OutboundResult, attempt: number): CallVerdict {
  if (isSuccess(result)) return { kind: 'success' };
  if (result.kind === 'response' && result.status === goneStatus) return { kind: 'gone' };
  return retryOf(result, retrySeconds[attempt - 1]);
}

/** Only what may pass is tried again: no answer, too many requests, and failures of the server. */
export function verdictOfStepAttempt(result: OutboundResult, attempt: number): CallVerdict {
  if (isSuccess(result)) return { kind: 'success' };
  return mayPass(result) ? retryOf(result, stepRetrySeconds[attempt - 1]) : { kind: 'failed' };
}

export function mayPass(result: OutboundResult): boolean {
  if (result.kind === 'response') return result.status === 429 || result.status >= 500;
  return result.kind === 'failed';
}

const isSuccess = (result: OutboundResult): boolean =>
  result.kind === 'response' && result.status >= 200 && result.status < 300;

function retryOf(result: OutboundResult, planned: number | undefined): CallVerdict {
  if (planned === undefined) return { kind: 'failed' };
  const asked = result.kind === 'response' ? retryAfterSeconds(result.retryAfter) : 0;
  return { kind: 'retry', inSeconds: Math.max(planned, asked) };
}

/** Seconds only; a date depends on somebody else's clock. */
function retryAfterSeconds(header: string | null): number {
  const seconds = header !== null && /^\d{1,9}$/.test(header) ? Number(header) : 0;
  return Math.min(seconds, longestRetryAfterSeconds);
}
