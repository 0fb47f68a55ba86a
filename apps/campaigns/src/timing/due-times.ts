import { createHash } from 'node:crypto';
import type { CampaignTiming, QuietHours } from '@posthorn/contracts';
import { DateTime } from 'luxon';

const minuteMs = 60_000;

interface Launched {
  campaignId: string;
  launchedAt: Date;
}

/** The same each time for a campaign and a contact: a page that is read again moves nobody. */
export function dueAtOf(
  { spreadMinutes = 0, localTime, quietHours }: CampaignTiming,
  { campaignId, launchedAt }: Launched,
  { contactId, zone }: { contactId: string; zone: string },
): Date {
  const first = localTime === undefined ? launchedAt : nextAt(localTime, launchedAt, zone);
  const due = new Date(
    first.getTime() + Math.floor(shareOf(campaignId, contactId) * spreadMinutes * minuteMs),
  );
  return quietHours ? (endOfQuietHours(due, quietHours, zone) ?? due) : due;
}

/** Null outside of them. */
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
