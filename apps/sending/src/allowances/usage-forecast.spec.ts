import { expect, it } from '@jest/globals';
import { forecastOf } from './usage.service.js';

const nextMonth = new Date('2026-12-01T00:00:00Z');
const on = (text: string) => new Date(`2026-11-${text}Z`);

it.each([
  ['takes the first day as a whole one', 40, null, '01T12:00:00', 1_200, null],
  ['goes on as before', 100, null, '11T00:00:00', 300, null],
  ['has no end below the limit', 100, 301, '11T00:00:00', 300, null],
  ['says when the limit is reached', 100, 150, '11T00:00:00', 300, '16T00:00:00'],
  ['says now once it is', 100, 50, '11T00:00:00', 300, '11T00:00:00'],
  ['is nothing where nothing is sent', 0, 0, '11T00:00:00', 0, null],
] as const)('the forecast of a month %s', (_, sent, limit, now, forecast, reached) => {
  expect(forecastOf({ sent, limit }, nextMonth, on(now))).toEqual({
    forecast,
    limitReachedAt: reached === null ? null : on(reached),
  });
});
