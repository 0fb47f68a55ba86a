export interface PlanInputs {
  now: Date;
  /** Messages a minute of the campaign; null: the general pace. */
  sendRate: number | null;
  /** Messages a second of all mail; 0: unlimited. */
  pacePerSecond: number;
  /** Handed over and without an outcome. */
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

/** Of the minute that is planned ahead, at a rate of the campaign's own. */
function placesAhead(now: Date, sendRate: number, nextDueAt: Date | null): number {
  const ahead = Math.max(0, (nextDueAt?.getTime() ?? 0) - now.getTime());
  return Math.ceil((sendRate * (minuteMs - ahead)) / minuteMs);
}

/** Spreads recipients evenly at the rate of the campaign, and says when the one after them is due. */
export function withTimes<Recipient extends object>(
  recipients: readonly Recipient[],
  { now, sendRate, nextDueAt }: Pick<PlanInputs, 'now' | 'sendRate' | 'nextDueAt'>,
): { recipients: (Recipient & { dueAt?: Date })[]; nextDueAt: Date | null } {
  if (sendRate === null) return { recipients: [...recipients], nextDueAt: null };
  const first = Math.max(now.getTime(), nextDueAt?.getTime() ?? 0);
  const dueAt = (index: number) => new Date(first + (index * minuteMs) / sendRate);
  return {
    recipients: recipients.map((recipient, index) => ({ ...recipient, dueAt: dueAt(index) })),
    nextDueAt: dueAt(recipients.length),
  };
}
