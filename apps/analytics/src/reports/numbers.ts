import type { MailNumbers } from '@posthorn/contracts';
import { measures } from '../mail-counts/measures.js';
import type { FullCounts } from '../mail-counts/mail-counts.repository.js';

export const noCounts = Object.fromEntries(measures.map((measure) => [measure, 0])) as FullCounts;

export function numbersOf(counts: FullCounts): MailNumbers {
  const { sent, delivered, deferred, bounced, refused, complained, unsubscribed } = counts;
  const { opened, clicked, opens, clicks, raw_opens: rawOpens, raw_clicks: rawClicks } = counts;
  const handedOver = sent + refused;
  return {
    ...{ sent, delivered, deferred, bounced, complained, unsubscribed },
    ...{ opened, clicked, opens, clicks, rawOpens, rawClicks },
    deliveryRate: rateOf(delivered, handedOver),
    bounceRate: rateOf(bounced, handedOver),
    complaintRate: rateOf(complained, sent),
    openRate: rateOf(opened, sent),
    clickRate: rateOf(clicked, sent),
  };
}

/** A percentage with one decimal; above 100 where mail of an earlier window was opened in this one. */
const rateOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((1_000 * part) / whole) / 10;

export function sumOf(rows: readonly FullCounts[]): FullCounts {
  const sum = { ...noCounts };
  for (const row of rows) for (const measure of measures) sum[measure] += row[measure];
  return sum;
}
