import { weekdays, type DelayUntil } from '@posthorn/contracts';
import { DateTime } from 'luxon';

/** The next such time after the instant, at least a moment later. A time that the clocks skip is the moment after the gap; one that comes twice is the first. */
export function nextTimeOfDay(now: Date, { weekday, time }: DelayUntil, zone: string): Date {
  const [hour, minute] = time.split(':').map(Number) as [number, number];
  const here = DateTime.fromJSDate(now, { zone });
  for (let days = 0; days <= 7; days += 1) {
    const [at] = here
      .plus({ days })
      .set({ hour, minute, second: 0, millisecond: 0 })
      .getPossibleOffsets() as [DateTime];
    const isDay = weekday === undefined || weekdays[at.weekday - 1] === weekday;
    if (isDay && at.toMillis() > now.getTime()) return at.toJSDate();
  }
  throw new Error(`no ${weekday} within eight days of ${now.toISOString()}`);
}
