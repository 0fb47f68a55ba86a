import type { CampaignMailRecipient, CampaignTiming } from '@posthorn/contracts';
import { endOfQuietHours, quietTimeOf } from '../timing/due-times.js';

export interface PlanInputs {
  now: Date;
  /** Messages a minute of the campaign; null: the general pace. */
  sendRate: number | null;
  /** Messages a second of all mail; 0: unlimited. */
  pacePerSecond: number;
  inHand: number;
  nextDueAt: Date | null;
}

const maxInHand = 10_000;
const minInHand = 20;
const minuteMs = 60_000;

/** How many recipients may be handed over now: about a minute's worth is in hand, so that a pause or an edit of the pace acts soon. */
export function roomOf({ now, sendRate, pacePerSecond, inHand, nextDueAt }: PlanInputs): number {
  const perMinute = Math.min(sendRate ?? Infinity, pacePerSecond > 0 ? pacePerSecond * 60 : Infinity);
  const most = Math.min(Math.max(Math.ceil(perMinute), minInHand), maxInHand);
  const untilDue = sendRate === null ? Infinity : placesAhead(now, sendRate, nextDueAt);
  return Math.max(0, Math.floor(Math.min(most - inHand, untilDue)));
}

function placesAhead(now: Date, sendRate: number, nextDueAt: Date | null): number {
  const ahead = Math.max(0, (nextDueAt?.getTime() ?? 0) - now.getTime());
  return Math.ceil((sendRate * (minuteMs - ahead)) / minuteMs);
}

type Timed = Pick<CampaignMailRecipient, 'id' | 'dueAt'>;
type Placed = Timed & { timeZone?: string | null };

/** Spreads recipients evenly at the rate of the campaign, and says when the one after them is due. */
export function withTimes<Recipient extends Timed>(
  recipients: readonly Recipient[],
  { now, sendRate, nextDueAt }: Pick<PlanInputs, 'now' | 'sendRate' | 'nextDueAt'>,
): { recipients: (Recipient & Timed)[]; nextDueAt: Date | null } {
  if (sendRate === null) return { recipients: [...recipients], nextDueAt: null };
  let next = Math.max(now.getTime(), nextDueAt?.getTime() ?? 0);
  const timed = recipients.map((recipient) => {
    const dueAt = latest(recipient.dueAt, new Date(next));
    next = dueAt.getTime() + minuteMs / sendRate;
    return { ...recipient, dueAt };
  });
  return { recipients: timed, nextDueAt: new Date(next) };
}

const latest = (a: Date | undefined, b: Date): Date => (a && a > b ? a : b);

/** What is handed over of a campaign with a timing: it is due in a minute at the latest. Null: everybody is. */
export const dueUntil = (timing: CampaignTiming | null, now: Date): Date | null =>
  timing && new Date(now.getTime() + minuteMs);

/** Those who are within their quiet hours when they are due, which may have been long ago: a campaign that was paused, for example. */
export function quietOnes(
  recipients: readonly Placed[],
  timing: CampaignTiming | null,
  now: Date,
): { id: string; dueAt: Date }[] {
  const { quietHours } = timing ?? {};
  if (!quietHours) return [];
  return recipients.flatMap(({ id, dueAt, timeZone }) => {
    const end = endOfQuietHours(latest(dueAt, now), quietHours, zoneOf(timeZone));
    return end ? [{ id, dueAt: end }] : [];
  });
}

/** Sending keeps a message back in these hours, too: a limit or a busy server may hold it up until the night. */
export function withQuietTimes<Recipient extends Placed>(
  recipients: readonly Recipient[],
  timing: CampaignTiming | null,
  now: Date,
): (Recipient & Pick<CampaignMailRecipient, 'quiet'>)[] {
  const { quietHours } = timing ?? {};
  if (!quietHours) return [...recipients];
  return recipients.map((recipient) => ({
    ...recipient,
    quiet: quietTimeOf(latest(recipient.dueAt, now), quietHours, zoneOf(recipient.timeZone)),
  }));
}

const zoneOf = (timeZone: string | null | undefined): string => timeZone ?? 'UTC';
