import { describe, expect, it } from '@jest/globals';
import { fillDays } from './reports.service.js';

const window = (from: string, to: string) => ({ from: new Date(from), to: new Date(to) });
const zero = { emails: 0, delivered: 0, opens: 0, clicks: 0, bounces: 0 };

describe('the days of a timeseries', () => {
  it('fills the days without mail with zeros, in order', () => {
    const known = [{ ...zero, date: '2026-03-02', emails: 3, opens: 1 }];
    expect(fillDays(window('2026-03-01T00:00:00Z', '2026-03-03T23:59:59.999Z'), known)).toEqual([
      { ...zero, date: '2026-03-01' },
      { ...zero, date: '2026-03-02', emails: 3, opens: 1 },
      { ...zero, date: '2026-03-03' },
    ]);
  });

  it.each([
    ['2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z', ['2026-03-01']],
    ['2026-03-01T23:59:59.999Z', '2026-03-02T00:00:00Z', ['2026-03-01', '2026-03-02']],
    // 23:30 in New York is the next day in UTC.
    ['2026-03-01T23:30:00-05:00', '2026-03-02T20:00:00-05:00', ['2026-03-02', '2026-03-03']],
    ['2024-02-28T12:00:00Z', '2024-03-01T12:00:00Z', ['2024-02-28', '2024-02-29', '2024-03-01']],
    ['2025-12-31T00:00:00Z', '2026-01-01T00:00:00Z', ['2025-12-31', '2026-01-01']],
  ])('includes each UTC day from %s to %s', (from, to, dates) => {
    expect(fillDays(window(from, to), []).map(({ date }) => date)).toEqual(dates);
  });

  it('has 90 entries for 90 whole days, even across a change to daylight saving time', () => {
    const days = fillDays(window('2026-01-31T00:00:00Z', '2026-04-30T23:59:59.999Z'), []);
    expect(days).toHaveLength(90);
    expect(new Set(days.map(({ date }) => date)).size).toBe(90);
  });
});
