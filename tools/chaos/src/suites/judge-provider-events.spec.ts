import { describe, expect, it } from '@jest/globals';
import { difference, excusedOf, type Row } from './judge-provider-events.js';

const row = (change: Partial<Row>): Row => ({
  id: 'e1',
  to: 'ok@sink.test',
  status: 'DELIVERED',
  isUnconfirmed: false,
  isGivenUp: false,
  isResent: false,
  reports: 1,
  suppressed: null,
  published: ['sent', 'delivered'],
  ...change,
});
const unreported = { status: 'FAILED', reports: 0, published: ['failed'] };
const unconfirmed = row({ ...unreported, isUnconfirmed: true, isResent: true });
const givenUp = row({ ...unreported, isGivenUp: true });
const times = (count: number) => new Map([['e1', count]]);

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

  it('excuses what was interrupted in hand-off twice, or while it was claimed three times', () => {
    const excused = (each: Row, handedOff: number, claimed: number) =>
      excusedOf([each], { handedOff: times(handedOff), claimed: times(claimed) }).has(each);
    expect([excused(unconfirmed, 2, 2), excused(unconfirmed, 1, 2)]).toEqual([true, false]);
    expect([excused(givenUp, 0, 3), excused(givenUp, 0, 2)]).toEqual([true, false]);
    expect(excused(row({ reports: 0 }), 9, 9)).toBe(false);
  });
});
