import { describe, expect, it } from '@jest/globals';
import { failureKinds } from '@posthorn/contracts';
import { reportOfBounce, reportOfFailure } from './report.js';

describe('what an event says of a recipient', () => {
  it('a failure that was our own decision is a skip, any other a failure', () => {
    const skipped = failureKinds.filter(
      (failureKind) => reportOfFailure({ failureKind }).outcome === 'SKIPPED',
    );
    expect(skipped).toEqual([
      'suppressed',
      'unsubscribed',
      'invalid_recipient',
      'quota_exhausted',
      'cancelled',
      'frequency_cap',
    ]);
  });

  it('a refused message failed, one that bounced later was sent', () => {
    expect(reportOfBounce({ bounceType: 'Permanent', refused: true })).toEqual({
      outcome: 'FAILED',
      reason: 'hard_bounce',
      bit: 8,
    });
    expect(reportOfBounce({ bounceType: 'Permanent' })).toEqual({ outcome: 'SENT', reason: null, bit: 8 });
    expect(reportOfBounce({ bounceType: 'Transient' })).toBeNull();
  });
});
