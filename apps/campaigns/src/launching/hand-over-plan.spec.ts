import { describe, expect, it } from '@jest/globals';
import { roomOf, withTimes } from './hand-over-plan.js';

const now = new Date('2026-03-01T10:00:00Z');
const plan = { now, sendRate: null, pacePerSecond: 0, inHand: 0, nextDueAt: null };
const recipient = (id: string) => ({ id, contactId: id, email: `${id}@example.org` });

describe('how many recipients are handed over', () => {
  it('is a minute of the pace, less what is in hand', () => {
    expect(roomOf({ ...plan, pacePerSecond: 14 })).toBe(840);
    expect(roomOf({ ...plan, pacePerSecond: 14, inHand: 800 })).toBe(40);
    expect(roomOf({ ...plan, pacePerSecond: 14, inHand: 900 })).toBe(0);
  });

  it('is bounded without a pace, and never less than a few', () => {
    expect(roomOf(plan)).toBe(10_000);
    expect(roomOf({ ...plan, sendRate: 1, inHand: 0 })).toBe(1);
  });

  it('ends a minute ahead at a rate of its own', () => {
    expect(roomOf({ ...plan, sendRate: 600, nextDueAt: new Date('2026-03-01T10:00:30Z') })).toBe(300);
    expect(roomOf({ ...plan, sendRate: 600, nextDueAt: new Date('2026-03-01T10:01:00Z') })).toBe(0);
  });
});

describe('the times of recipients', () => {
  it('follow each other at the rate, after those of the batch before', () => {
    const nextDueAt = new Date('2026-03-01T10:00:10Z');
    const timed = withTimes([recipient('a'), recipient('b')], { now, sendRate: 60, nextDueAt });
    expect(timed.recipients.map(({ dueAt }) => dueAt)).toEqual([nextDueAt, new Date('2026-03-01T10:00:11Z')]);
    expect(timed.nextDueAt).toEqual(new Date('2026-03-01T10:00:12Z'));
  });

  it('follow each other at the rate also where many are due at one instant', () => {
    const dueAt = new Date('2026-03-01T10:00:30Z');
    const timed = withTimes([{ ...recipient('a'), dueAt }, { ...recipient('b'), dueAt }, recipient('c')], {
      now,
      sendRate: 60,
      nextDueAt: null,
    });
    expect(timed.recipients.map((each) => each.dueAt!.toISOString().slice(17, 19))).toEqual([
      '30',
      '31',
      '32',
    ]);
    expect(timed.nextDueAt).toEqual(new Date('2026-03-01T10:00:33Z'));
  });

  it('begin now after a time without messages', () => {
    const nextDueAt = new Date('2026-03-01T09:00:00Z');
    const timed = withTimes([recipient('a')], { now, sendRate: 60, nextDueAt });
    expect(timed.recipients[0]!.dueAt).toEqual(now);
  });
});
