import { request } from '../schema/contract.js';
import { Count, Instant, ListOf, Nested, Text } from '../schema/fields.js';

/** The range actually used, after the clamp to 90 days (the API specification). */
export class AnalyticsWindow {
  @Instant() from: Date;
  @Instant() to: Date;
}

/** `from` ≤ `to`; the gateway has read bare dates as whole UTC days and applied the default of 30 days. */
export class TimeseriesQuery {
  @Instant() from: Date;
  @Instant() to: Date;
}

/** One UTC day. */
export class TimeseriesDay {
  @Text(10, 10) date: string;
  @Count() emails: number;
  @Count() delivered: number;
  @Count() opens: number;
  @Count() clicks: number;
  @Count() bounces: number;
}

/** One entry for each day of the range, zero-filled. */
export class Timeseries {
  @ListOf(() => TimeseriesDay, 0, 91) data: TimeseriesDay[];
  @Nested(() => AnalyticsWindow) window: AnalyticsWindow;
}

export const analytics = {
  timeseries: request('analytics.reports.timeseries', TimeseriesQuery, Timeseries),
};
