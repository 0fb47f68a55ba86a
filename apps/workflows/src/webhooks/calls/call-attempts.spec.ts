import { describe, expect, it } from '@jest/globals';
import type { OutboundResult } from '@posthorn/outbound';
import { verdictOfAttempt, retrySeconds } from './call-attempts.js';

const answered = (status: number, retryAfter: string | null = null): OutboundResult => ({
  kind: 'response',
  status,
  body: '',
  retryAfter,
  durationMs: 1,
});
const timedOut: OutboundResult = { kind: 'failed', fault: 'timeout', detail: '', durationMs: 10_000 };
const refused: OutboundResult = { kind: 'refused', refusal: 'address', durationMs: 1 };

describe('an attempt', () => {
  it.each([
    ['200', answered(200), { kind: 'success' }],
    ['204', answered(204), { kind: 'success' }],
    ['302', answered(302), { kind: 'retry', inSeconds: 5 }],
    ['404', answered(404), { kind: 'retry', inSeconds: 5 }],
    ['410', answered(410), { kind: 'gone' }],
    ['500', answered(500), { kind: 'retry', inSeconds: 5 }],
    ['429 with a later time', answered(429, '120'), { kind: 'retry', inSeconds: 120 }],
    ['429 with an absurd time', answered(429, '999999999'), { kind: 'retry', inSeconds: 86_400 }],
    ['503 with a date', answered(503, 'Fri, 31 Dec 2027 23:59:59 GMT'), { kind: 'retry', inSeconds: 5 }],
    ['no answer', timedOut, { kind: 'retry', inSeconds: 5 }],
    ['a refused address', refused, { kind: 'retry', inSeconds: 5 }],
  ])('with %s', (_, result, outcome) => {
    expect(verdictOfAttempt(result, 1)).toEqual(outcome);
  });

  it('is the eighth at most', () => {
    const waits = Array.from({ length: 8 }, (_, index) => verdictOfAttempt(timedOut, index + 1));
    expect(waits).toEqual([
      ...retrySeconds.map((inSeconds) => ({ kind: 'retry', inSeconds })),
      { kind: 'failed' },
    ]);
  });
});
