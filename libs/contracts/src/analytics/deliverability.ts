import { query } from '../schema/contract.js';
import {
  Choice,
  Count,
  Instant,
  ListOf,
  Nested,
  Nullable,
  Numeric,
  Optional,
  Text,
} from '../schema/fields.js';
import { recordStatuses, recordTypes, maxDomains, type RecordStatus } from '../sending/domains.js';
import { AnalyticsWindow, TimeseriesQuery } from './analytics.js';

export const deliverabilityStates = ['GOOD', 'WARNING', 'CRITICAL'] as const;
export type DeliverabilityState = (typeof deliverabilityStates)[number];

export const adviceSeverities = ['INFO', 'WARNING', 'CRITICAL'] as const;
export type AdviceSeverity = (typeof adviceSeverities)[number];

/** What to do about a domain: of its DNS, of the rates that Gmail and Yahoo publish limits for, of one destination, of DMARC reports. */
export const adviceCodes = [
  'dkim_missing',
  'spf_missing',
  'return_path_missing',
  'dmarc_missing',
  'complaints_high',
  'bounces_high',
  'destination_low',
  'dmarc_reports_missing',
  'dmarc_source_fails',
  'dmarc_policy_open',
] as const;
export type AdviceCode = (typeof adviceCodes)[number];

/** Percentages with two decimals: bounces and deliveries of what was handed over, complaints of what was sent. */
export class DeliverabilityRates {
  @Count() sent: number;
  @Count() delivered: number;
  @Count() bounced: number;
  @Count() complained: number;
  @Numeric() deliveryRate: number;
  @Numeric() bounceRate: number;
  @Numeric() complaintRate: number;
}

export class DomainDns {
  @Choice(recordStatuses) dkim: RecordStatus;
  @Choice(recordStatuses) spf: RecordStatus;
  @Choice(recordStatuses) dmarc: RecordStatus;
  @Choice(recordStatuses) mailFrom: RecordStatus;
  @Instant() @Nullable() checkedAt: Date | null;
}

export class AdvisedRecord {
  @Choice(recordTypes) type: (typeof recordTypes)[number];
  @Text(1, 255) name: string;
  @Text(1, 2048) value: string;
}

export class Advice {
  @Choice(adviceCodes) code: AdviceCode;
  @Choice(adviceSeverities) severity: AdviceSeverity;
  @Text(1, 1000) message: string;
  /** The record to publish. */
  @Nested(() => AdvisedRecord) @Optional() record?: AdvisedRecord;
}

export class DestinationDeliverability {
  /** `gmail`, `outlook`, `yahoo`, `icloud` or `other`. */
  @Text(1, 100) destination: string;
  @Count() sent: number;
  @Count() delivered: number;
  @Count() deferred: number;
  @Count() bounced: number;
  @Numeric() deliveryRate: number;
}

export class DomainDeliverability extends DeliverabilityRates {
  @Text(3, 253) domain: string;
  @Nested(() => DomainDns) dns: DomainDns;
  /** The worst of its advice. */
  @Choice(deliverabilityStates) status: DeliverabilityState;
  /** The most severe first. */
  @ListOf(() => Advice, 0, 50) advice: Advice[];
  /** The window of the same length before. */
  @Nested(() => DeliverabilityRates) previous: DeliverabilityRates;
}

export class Deliverability {
  @ListOf(() => DomainDeliverability, 0, maxDomains) domains: DomainDeliverability[];
  @ListOf(() => DestinationDeliverability, 0, 100) destinations: DestinationDeliverability[];
  @Nested(() => AnalyticsWindow) window: AnalyticsWindow;
}

export class GetDeliverability extends TimeseriesQuery {}

/** Rates against the published limits, the state of DNS, and what to do (contract §10). */
export const deliverability = {
  overview: query('analytics.deliverability.overview', GetDeliverability, Deliverability),
};
