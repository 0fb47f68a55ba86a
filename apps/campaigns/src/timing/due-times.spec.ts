import { describe, expect, it } from '@jest/globals';
import type { QuietTime } from '@posthorn/contracts';
import { dueAtOf, endOfQuietHours, quietTimeOf, startOf } from './due-times.js';

const launched = { campaignId: 'campaign', startsAt: new Date('2026-03-27T12:00:00Z') };
const of = (zone: string, contactId = 'ada') => ({ contactId, zone });

describe('when a recipient is due', () => {
  it.each([
    ['Europe/Berlin', '2026-03-28T08:00:00.000Z'],
    ['America/New_York', '2026-03-27T13:00:00.000Z'],
    ['Asia/Kolkata', '2026-03-28T03:30:00.000Z'],
    ['Pacific/Auckland', '2026-03-27T20:00:00.000Z'],
  ])('is the next time that it is nine in %s', (zone, at) => {
    expect(dueAtOf({ localTime: '09:00' }, launched, of(zone)).toISOString()).toBe(at);
  });

  it('follows a change of the clocks', () => {
    const evening = { ...launched, startsAt: new Date('2026-03-28T12:00:00Z') };
    expect(dueAtOf({ localTime: '09:00' }, evening, of('Europe/Berlin')).toISOString()).toBe(
      '2026-03-29T07:00:00.000Z',
    );
    // 02:30 does not exist on that night.
    expect(dueAtOf({ localTime: '02:30' }, evening, of('Europe/Berlin')).toISOString()).toBe(
      '2026-03-29T01:30:00.000Z',
    );
  });

  it('is spread evenly, and the same each time', () => {
    const minutes = Array.from({ length: 6_000 }, (_, index) => {
      const due = dueAtOf({ spreadMinutes: 60 }, launched, of('UTC', `contact ${index}`));
      return Math.floor((due.getTime() - launched.startsAt.getTime()) / 60_000);
    });
    const perMinute = Array.from(
      { length: 60 },
      (_, minute) => minutes.filter((each) => each === minute).length,
    );
    expect(Math.min(...perMinute)).toBeGreaterThan(60);
    expect(Math.max(...perMinute)).toBeLessThan(140);
    expect(dueAtOf({ spreadMinutes: 60 }, launched, of('UTC'))).toEqual(
      dueAtOf({ spreadMinutes: 60 }, launched, of('UTC')),
    );
  });

  it('is not within quiet hours', () => {
    const quietHours = { from: '21:00', to: '08:00' };
    expect(dueAtOf({ quietHours }, launched, of('Asia/Tokyo')).toISOString()).toBe(
      '2026-03-27T23:00:00.000Z',
    );
    expect(dueAtOf({ quietHours }, launched, of('Europe/Berlin'))).toEqual(launched.startsAt);
  });
});

describe('the time from which a campaign counts', () => {
  const scheduled = new Date('2026-03-27T09:00:00Z');
  it.each([
    ['2026-03-27T09:00:00.400Z', scheduled, '09:00:00.000Z'],
    ['2026-03-27T13:00:00.000Z', scheduled, '13:00:00.000Z'],
    ['2026-03-27T08:00:00.000Z', scheduled, '08:00:00.000Z'],
    ['2026-03-27T08:00:00.000Z', null, '08:00:00.000Z'],
  ])('launched at %s is the scheduled one where that was just before', (launchedAt, at, start) => {
    expect(startOf(new Date(launchedAt), at).toISOString()).toBe(`2026-03-27T${start}`);
  });

  it('lets the local time of the schedule itself begin at once', () => {
    const startsAt = startOf(new Date('2026-03-27T08:00:00.300Z'), new Date('2026-03-27T08:00:00Z'));
    expect(dueAtOf({ localTime: '09:00' }, { ...launched, startsAt }, of('Europe/Berlin'))).toEqual(startsAt);
  });
});

describe('quiet hours', () => {
  const night = { from: '21:00', to: '08:00' };

  it('are told to sending as those that began last, with the next change of the clocks', () => {
    expect(quietTimeOf(new Date('2026-03-27T12:00:00Z'), night, 'Europe/Berlin')).toEqual({
      from: new Date('2026-03-26T20:00:00Z'),
      seconds: 11 * 3_600,
      shiftAt: new Date('2026-03-29T01:00:00Z'),
      shiftSeconds: 3_600,
    });
    expect(quietTimeOf(new Date('2026-03-27T02:00:00Z'), night, 'UTC')).toEqual({
      from: new Date('2026-03-26T21:00:00Z'),
      seconds: 11 * 3_600,
    });
  });

  /** As `mark-rules.ts` of sending reads them. */
  const isQuiet = ({ from, seconds, shiftAt, shiftSeconds = 0 }: QuietTime, at: Date): boolean => {
    const shifted = shiftAt && at >= shiftAt ? shiftSeconds : 0;
    return ((at.getTime() - from.getTime()) / 1_000 + shifted) % 86_400 < seconds;
  };

  it.each(['Europe/Berlin', 'America/New_York', 'Australia/Sydney', 'Asia/Kolkata', 'America/Sao_Paulo'])(
    'are those of the clock on the wall, also when it changes, in %s',
    (zone) => {
      for (const month of [2, 3, 9, 10]) {
        const handedOver = new Date(Date.UTC(2026, month, 1, 5, 17));
        const told = quietTimeOf(handedOver, night, zone);
        for (let minutes = 0; minutes < 39 * 24 * 60; minutes += 30) {
          const at = new Date(handedOver.getTime() + minutes * 60_000);
          const isReally = endOfQuietHours(at, night, zone) !== null;
          if (isQuiet(told, at) !== isReally) throw new Error(`${at.toISOString()}: really ${isReally}`);
        }
      }
    },
  );

  it.each([
    ['22:00', '07:00', '23:30', '2026-03-28T07:00:00.000Z'],
    ['22:00', '07:00', '06:59', '2026-03-27T07:00:00.000Z'],
    ['22:00', '07:00', '07:00', null],
    ['12:00', '14:00', '12:00', '2026-03-27T14:00:00.000Z'],
    ['12:00', '14:00', '14:00', null],
  ])('from %s to %s at %s end at %s', (from, to, time, end) => {
    expect(
      endOfQuietHours(new Date(`2026-03-27T${time}:00Z`), { from, to }, 'UTC')?.toISOString() ?? null,
    ).toBe(end);
  });
});
