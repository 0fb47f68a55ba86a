import { query } from '../schema/contract.js';
import {
  Address,
  Choice,
  Count,
  Instant,
  ListOf,
  Nested,
  Nullable,
  Optional,
  Text,
  Texts,
} from '../schema/fields.js';
import { AnalyticsWindow } from '../analytics/analytics.js';
import { maxDomains } from './domains.js';

/** `p=` of a policy (RFC 7489 §6.3), and what a receiver did with a message. */
export const policiesOfDmarc = ['NONE', 'QUARANTINE', 'REJECT'] as const;

/** Sources of a domain beyond these are added up. */
export const maxDmarcSources = 100;

export class DmarcCounts {
  /** As receivers report them, once a day at most. */
  @Count() messages: number;
  /** Aligned by DKIM or by SPF: what DMARC asks for. */
  @Count() passed: number;
  @Count() dkimAligned: number;
  @Count() spfAligned: number;
  @Count() quarantined: number;
  @Count() rejected: number;
}

export class DmarcSource {
  /** The address of a server that sent in the name of the domain; `other` for those beyond the largest of a report. */
  @Text(1, 45) source: string;
  /** The domain of the signature, and that of the return path; null where there was none. */
  @Text(1, 253) @Nullable() signedBy: string | null;
  @Text(1, 253) @Nullable() returnPath: string | null;
  @Nested(() => DmarcCounts) counts: DmarcCounts;
}

/** The record that asks receivers for reports. */
export class DmarcRecord {
  @Text(1, 255) name: string;
  @Text(1, 2048) value: string;
}

export class DomainDmarc {
  @Text(3, 253) domain: string;
  /** Where reports are taken; null while the installation takes no mail (`INBOUND_PORT`). */
  @Address() @Nullable() reportingAddress: string | null;
  @Nested(() => DmarcRecord) @Nullable() record: DmarcRecord | null;
  /** As last reported; null without a report. */
  @Choice(policiesOfDmarc) @Nullable() policy: (typeof policiesOfDmarc)[number] | null;
  @Instant() @Nullable() lastReportAt: Date | null;
  @Count() reports: number;
  /** Who reported, at most 20. */
  @Texts(0, 20, 255) reporters: string[];
  @Nested(() => DmarcCounts) counts: DmarcCounts;
  /** Those with the most messages first. */
  @ListOf(() => DmarcSource, 0, maxDmarcSources) sources: DmarcSource[];
}

/** `from` ≤ `to`; days are those in the middle of the range of a report. */
export class GetDmarc {
  @Instant() from: Date;
  @Instant() to: Date;
  @Text(3, 253) @Optional() domain?: string;
}

/** What receivers say about mail in the name of the project's domains (RFC 7489 §7.2; contract §10). */
export class DmarcOverview {
  @ListOf(() => DomainDmarc, 0, maxDomains) data: DomainDmarc[];
  @Nested(() => AnalyticsWindow) window: AnalyticsWindow;
}

export const dmarc = {
  overview: query('sending.dmarc.overview', GetDmarc, DmarcOverview),
};
