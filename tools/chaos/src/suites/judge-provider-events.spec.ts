import { describe, expect, it } from '@jest/globals';
import { difference, excusedOf, type Row } from './judge-provider-events.js';

const row = (change: Partial<Row>): Row => ({
  ...{ id: 'e1', to: 'ok@sink.test', status: 'DELIVERED', isGivenUp: false, isResent: false },
  ...{ reports: 1, suppressed: null, published: ['sent', 'delivered'] },
  ...change,
});
const givenUp = row({ status: 'FAILED', isGivenUp: true, isResent: true, reports: 0, published: ['failed'] });

describe('the judge of provider events', () => {
  it('accepts what agrees with the reports', () => {
    expect(difference(row({}), ['delivered'])).toBeNull();
  });

  it('accepts a failure that a later report corrected only where the message was sent again', () => {
    const corrected = { published: ['failed', 'sent', 'delivered'] };
    expect(difference(row({ ...corrected, isResent: true }), ['delivered'])).toBeNull();
    expect(difference(row(corrected), ['delivered'])).toMatch(/instead of/);
  });

  it.each<[string, Partial<Row>]>([
    ['another status', { status: 'BOUNCED' }],
    ['a report too many', { reports: 2 }],
    ['a missing event', { published: ['sent'] }],
    ['an event twice', { published: ['sent', 'delivered', 'delivered'] }],
    ['a suppression', { suppressed: 'COMPLAINT' }],
  ])('finds %s', (_, change) => {
    expect(difference(row(change), ['delivered'])).toMatch(/instead of/);
  });

  it('finds a message that was never reported', () => {
    expect(difference(row({ status: 'SENT' }), null)).toMatch(/never reported/);
  });

  it('excuses what was given up, one message for two deaths at most', () => {
    expect(excusedOf([givenUp, row({ reports: 0 })], 2)).toEqual(new Set([givenUp]));
    expect(excusedOf([givenUp], 1)).toEqual(new Set());
  });
});
