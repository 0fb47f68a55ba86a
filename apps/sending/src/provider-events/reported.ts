import { copyEvents, emailEvents, type ProviderEventKind } from '@posthorn/contracts';

// A set has no order and knows no repetition, so reports may come late, twice and in any order
// (docs/decisions/0025-provider-events.md).
export const reportedBits = {
  SENT: 1,
  DELAYED: 2,
  SOFT_BOUNCED: 4,
  DELIVERED: 8,
  REJECTED: 16,
  BOUNCED: 32,
  COMPLAINED: 64,
} as const;

export type ReportedKind = keyof typeof reportedBits;

/** What is reported about a message has been sent, unless the provider refused it after all. */
export const bitsOfKind = (kind: ReportedKind): number =>
  kind === 'REJECTED' ? reportedBits.REJECTED : reportedBits[kind] | reportedBits.SENT;

export const isReported = (kind: ProviderEventKind): kind is ReportedKind => kind in reportedBits;

const has = (bits: string, kind: ReportedKind): string => `(${bits}) & ${reportedBits[kind]} <> 0`;

/** The status that the reports imply; the bits must not be 0. A bounce replaces anything else, and only a bounce replaces a delivery. */
export const statusOfBits = (bits: string): string => `CASE
  WHEN ${has(bits, 'BOUNCED')} THEN 'BOUNCED' WHEN ${has(bits, 'DELIVERED')} THEN 'DELIVERED'
  WHEN ${has(bits, 'REJECTED')} THEN 'REJECTED' WHEN ${has(bits, 'SOFT_BOUNCED')} THEN 'FAILED'
  WHEN ${has(bits, 'DELAYED')} THEN 'DELIVERY_DELAY' ELSE 'SENT' END`;

export const failureKindOfBits = (bits: string): string => `CASE
  WHEN ${has(bits, 'BOUNCED')} THEN 'hard_bounce' WHEN ${has(bits, 'DELIVERED')} THEN NULL
  WHEN ${has(bits, 'REJECTED')} THEN 'provider_rejected' WHEN ${has(bits, 'SOFT_BOUNCED')} THEN 'expired' END`;

/** Of the delivery. A reported message is never sent again. */
export const stateOfBits = (bits: string): string => `CASE
  WHEN ${has(bits, 'BOUNCED')} THEN 'BOUNCED' WHEN ${has(bits, 'DELIVERED')} THEN 'SENT'
  WHEN ${has(bits, 'REJECTED')} THEN 'FAILED' ELSE 'SENT' END`;

/** The event that is published when a bit is set for the first time. */
export const eventOfBit: readonly (readonly [bit: number, event: string])[] = [
  [reportedBits.SENT, emailEvents.sent.name],
  [reportedBits.DELAYED, emailEvents.delayed.name],
  [reportedBits.SOFT_BOUNCED, emailEvents.bounced.name],
  [reportedBits.DELIVERED, emailEvents.delivered.name],
  [reportedBits.REJECTED, emailEvents.failed.name],
  [reportedBits.BOUNCED, emailEvents.bounced.name],
  [reportedBits.COMPLAINED, emailEvents.complained.name],
];

export const copyEventOfBit: typeof eventOfBit = [
  [reportedBits.SENT, copyEvents.sent.name],
  [reportedBits.BOUNCED, copyEvents.bounced.name],
  [reportedBits.COMPLAINED, copyEvents.complained.name],
];
