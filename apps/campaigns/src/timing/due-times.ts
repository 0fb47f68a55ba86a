import { createHash } from 'node:crypto';
import type { CampaignTiming, QuietHours, QuietTime } from '@posthorn/contracts';
import { DateTime } from 'luxon';

const minuteMs = 60_000;
const soonMs = 60 * minuteMs;
const daySeconds = 86_400;

interface Launched {
  campaignId: string;
  startsAt: Date;
}

/** The same each time for a campaign and a contact: a page that is read again moves nobody. */
export function dueAtOf(
  { spreadMinutes = 0, localTime, quietHours }: CampaignTiming,
  { campaignId, startsAt }: Launched,
  { contactId, zone }: { contactId: string; zone: string },
): Date {
  const first = localTime === undefined ? startsAt : nextAt(localTime, startsAt, zone);
  const due = new Date(
    first.getTime() + Math.floor(shareOf(campaignId, contactId) * spreadMinutes * minuteMs),
  );
  return quietHours ? (endOfQuietHours(due, quietHours, zone) ?? due) : due;
}

/** A campaign that was scheduled for nine o'clock is launched a moment later, and is for people for whom it is nine o'clock then. */
export function startOf(launchedAt: Date, scheduledAt: Date | null): Date {
  const lateMs = scheduledAt ? launchedAt.getTime() - scheduledAt.getTime() : -1;
  return lateMs >= 0 && lateMs < soonMs ? scheduledAt! : launchedAt;
}

/** As sending keeps them, without time zones: those that began last by the clock of this instant, and the next change of that clock. */
export function quietTimeOf(at: Date, quietHours: QuietHours, zone: string): QuietTime {
  const shift = nextShift(zone, at);
  return {
    from: lastAt(quietHours.from, at, zone),
    seconds: secondsOf(quietHours),
    ...(shift ? { shiftAt: shift.at, shiftSeconds: shift.seconds } : {}),
  };
}

function lastAt(time: string, at: Date, zone: string): Date {
  const offsetMs = DateTime.fromJSDate(at, { zone }).offset * minuteMs;
  const [hour, minute] = time.split(':').map(Number);
  const dayMs = daySeconds * 1_000;
  const midnight = Math.floor((at.getTime() + offsetMs) / dayMs) * dayMs - offsetMs;
  const today = midnight + (hour! * 60 + minute!) * minuteMs;
  return new Date(today <= at.getTime() ? today : today - dayMs);
}

function secondsOf({ from, to }: QuietHours): number {
  const [start, end] = [from, to].map((time) => {
    const [hour, minute] = time.split(':').map(Number);
    return (hour! * 60 + minute!) * 60;
  });
  return (end! - start! + daySeconds) % daySeconds;
}

export function endOfQuietHours(at: Date, { from, to }: QuietHours, zone: string): Date | null {
  const local = DateTime.fromJSDate(at, { zone });
  const time = local.toFormat('HH:mm');
  const isQuiet = from < to ? time >= from && time < to : time >= from || time < to;
  return isQuiet ? nextAt(to, at, zone) : null;
}

/** The next instant at which it is this time in the zone; an hour that a change of the clocks leaves out is the one after it. */
function nextAt(time: string, after: Date, zone: string): Date {
  const [hour, minute] = time.split(':').map(Number);
  const local = DateTime.fromJSDate(after, { zone });
  const today = local.set({ hour, minute, second: 0, millisecond: 0 });
  return (today >= local ? today : today.plus({ days: 1 }).set({ hour, minute })).toJSDate();
}

/** From 0 to 1, evenly over the contacts of a campaign. */
const shareOf = (campaignId: string, contactId: string): number =>
  createHash('md5').update(`${campaignId} ${contactId}`).digest().readUInt32BE(8) / 2 ** 32;

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
function nextShift(zone: string, after: Date): ClockShift | null {
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
