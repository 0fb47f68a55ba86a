import type { DeliverabilityRates } from '@posthorn/contracts';
import type { FullCounts } from '../mail-counts/mail-counts.repository.js';

/** A percentage with two decimals: the limits for complaints are tenths of one percent. */
const rateOf = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((10_000 * part) / whole) / 100;

export function ratesOf({ sent, delivered, bounced, refused, complained }: FullCounts): DeliverabilityRates {
  const handedOver = sent + refused;
  return {
    ...{ sent, delivered, bounced, complained },
    deliveryRate: rateOf(delivered, handedOver),
    bounceRate: rateOf(bounced, handedOver),
    complaintRate: rateOf(complained, sent),
  };
}

export const percent = (rate: number): string => `${rate.toFixed(2)} %`;
