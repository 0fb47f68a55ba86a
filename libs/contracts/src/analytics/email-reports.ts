import { query } from '../schema/contract.js';
import { Choice, Count, Id, ListOf, Nested, Nullable, Numeric, Optional, Text } from '../schema/fields.js';
import { JoinFields } from '../schema/shapes.js';
import { AnalyticsWindow, TimeseriesQuery } from './analytics.js';

/** `category` is how an e-mail came about, such as `CAMPAIGN`; `link` needs `campaignId`. */
export const emailGroups = [
  'day',
  'hour',
  'category',
  'campaign',
  'workflow',
  'template',
  'domain',
  'destination',
  'link',
] as const;
export type EmailGroup = (typeof emailGroups)[number];

export const maxReportDays = 400;
export const maxReportHours = 30 * 24;
export const maxReportRows = 1_000;
/** The rows of hours are the most. */
const mostRows = maxReportRows;

/**
 * What became of mail, each counted when it happened. By people: `opened` and `clicked` are e-mails, at their first open or
 * click, `opens` and `clicks` all of them; `raw` includes machines.
 */
export class MailCounts {
  @Count() sent: number;
  @Count() delivered: number;
  /** Not delivered yet; the provider continues to try. */
  @Count() deferred: number;
  /** For good. */
  @Count() bounced: number;
  @Count() complained: number;
  @Count() unsubscribed: number;
  @Count() opened: number;
  @Count() clicked: number;
  @Count() opens: number;
  @Count() clicks: number;
  @Count() rawOpens: number;
  @Count() rawClicks: number;
}

/** Percentages with one decimal: opens, clicks and complaints of `sent`, deliveries and bounces of what was handed over, refused or not. */
export class MailNumbers extends MailCounts {
  @Numeric() deliveryRate: number;
  @Numeric() bounceRate: number;
  @Numeric() complaintRate: number;
  @Numeric() openRate: number;
  @Numeric() clickRate: number;
}

export class EmailReportRow extends MailNumbers {
  /** A date, the beginning of an hour, an id, a domain, a link, or `other`. */
  @Text(0, 2048) key: string;
  /** The same day, hour or key of the window before; null unless it was asked for. */
  @Nested(() => MailNumbers) @Nullable() previous: MailNumbers | null;
}

export class PreviousTotals {
  @Nested(() => AnalyticsWindow) window: AnalyticsWindow;
  @Nested(() => MailNumbers) totals: MailNumbers;
}

/** One filter at a time, with the groups that have counters for it. */
export class EmailReportFilter {
  @Id() @Optional() campaignId?: string;
  @Id() @Optional() templateId?: string;
  @Text(3, 253) @Optional() domain?: string;
  @Text(1, 64, { pattern: /^[A-Za-z0-9_-]+$/ }) @Optional() tag?: string;
}
export const emailReportFilters = ['campaignId', 'templateId', 'domain', 'tag'] as const;
export type EmailReportFilterName = (typeof emailReportFilters)[number];

export class EmailReportOptions extends EmailReportFilter {
  /** `day` by default. */
  @Choice(emailGroups) @Optional() groupBy?: EmailGroup;
  /** The window of the same length that ends where this one begins. */
  @Choice(['previous']) @Optional() compare?: 'previous';
  /** Of rows, those with the most mail first; days and hours are all shown. 100 by default. */
  @Count({ min: 1, max: maxReportRows }) @Optional() limit?: number;
}

export class GetEmailReport extends JoinFields(TimeseriesQuery, EmailReportOptions) {}

/** Days and hours are in order and complete, other groups begin with the most mail. UTC. */
export class EmailReport {
  @ListOf(() => EmailReportRow, 0, mostRows) data: EmailReportRow[];
  /** Of everything in the window, also of rows beyond the limit. */
  @Nested(() => MailNumbers) totals: MailNumbers;
  @Nested(() => PreviousTotals) @Nullable() previous: PreviousTotals | null;
  @Nested(() => AnalyticsWindow) window: AnalyticsWindow;
}

export class MailCountsOf {
  @Id() id: string;
}

/** What was counted of the mail of a campaign since it was launched, as far back as counters are kept. */
export class CampaignMailCounts {
  @Nested(() => MailNumbers) totals: MailNumbers;
  /** Hours with mail or engagement, of the last 30 days. */
  @ListOf(() => EmailReportRow, 0, maxReportRows) hours: EmailReportRow[];
  @ListOf(() => EmailReportRow, 0, maxReportRows) links: EmailReportRow[];
  @ListOf(() => EmailReportRow, 0, maxReportRows) destinations: EmailReportRow[];
}

export class WorkflowMailCounts {
  @Nested(() => MailNumbers) totals: MailNumbers;
  /** By step that sends mail. */
  @ListOf(() => EmailReportRow, 0, maxReportRows) steps: EmailReportRow[];
}

export const emailReports = {
  /** Errors: `validation_error` for a filter that no counter answers. */
  report: query('analytics.reports.emails', GetEmailReport, EmailReport),
  ofCampaign: query('analytics.reports.campaign', MailCountsOf, CampaignMailCounts),
  ofWorkflow: query('analytics.reports.workflow', MailCountsOf, WorkflowMailCounts),
};
