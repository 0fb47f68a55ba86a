import { DateTime } from 'luxon';

export interface ClockShift {
  at: Date;
  /** Positive where the clocks go forward. */
  seconds: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Longer than a message may wait: a day of attempts, and until the next month where an allowance is used up. */
const daysAhead = 40;
const maxKnown = 2_000;

const known = new Map<string, ClockShift | null>();

/** The next change of the clocks of a zone, within forty days. */
export function nextShift(zone: string, after: Date): ClockShift | null {
  const hour = Math.floor(after.getTime() / hourMs);
  const name = `${zone} ${hour}`;
  let shift = known.get(name);
  if (shift === undefined) {
    if (known.size >= maxKnown) known.clear();
    shift = found(zone, hour * hourMs);
    known.set(name, shift);
  }
  return shift && shift.at > after ? shift : null;
}

function found(zone: string, from: number): ClockShift | null {
  const offsetAt = (instant: number) => DateTime.fromMillis(instant, { zone }).offset;
  const before = offsetAt(from);
  for (let day = 1; day <= daysAhead; day += 1) {
    const after = offsetAt(from + day * dayMs);
    if (after !== before)
      return {
        at: new Date(firstWith(after, from + (day - 1) * dayMs, offsetAt)),
        seconds: (after - before) * 60,
      };
  }
  return null;
}

/** To the minute, as zones change. */
function firstWith(offset: number, from: number, offsetAt: (instant: number) => number): number {
  let [early, late] = [from / 60_000, (from + dayMs) / 60_000];
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (offsetAt(middle * 60_000) === offset) late = middle;
    else early = middle;
  }
  return late * 60_000;
}
