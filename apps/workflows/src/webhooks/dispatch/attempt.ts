import { storableText } from '@posthorn/contracts';
import { outboundRefusals, type OutboundResult } from '@posthorn/outbound';
import type { AttemptOutcome } from './attempt-rules.js';

export interface DueCall {
  id: string;
  /** All that were made. */
  attempts: number;
  /** Those since it was last replayed, which decide when the next one is. */
  retries: number;
  /** How often a process ended while it made the call. */
  claims: number;
}

export interface Attempt<Call extends DueCall = DueCall> {
  call: Call;
  outcome: AttemptOutcome;
  responseStatus: number | null;
  responseBody: string | null;
  error: string | null;
  durationMs: number;
  /** Whether it says that the endpoint does not work. */
  isFault: boolean;
}

interface Judged {
  outcome: AttemptOutcome;
  isFault: boolean;
  maxResponse: number;
}

const maxDetail = 300;

export function attemptOf<Call extends DueCall>(
  call: Call,
  result: OutboundResult,
  { outcome, isFault, maxResponse }: Judged,
): Attempt<Call> {
  const isResponse = result.kind === 'response';
  return {
    ...{ call, outcome, isFault, durationMs: result.durationMs },
    responseStatus: isResponse ? result.status : null,
    responseBody: isResponse ? storedText(result.body, maxResponse) : null,
    error: errorOf(result),
  };
}

/** Nothing was sent, and nothing will be. */
export const unmadeAttempt = <Call extends DueCall>(call: Call, error: string): Attempt<Call> => ({
  ...{ call, error, outcome: { kind: 'failed' }, isFault: false },
  ...{ responseStatus: null, responseBody: null, durationMs: 0 },
});

export const statusAfter = ({ kind }: AttemptOutcome): 'PENDING' | 'SUCCESS' | 'FAILED' => {
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
