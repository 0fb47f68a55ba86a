import { query } from '../schema/contract.js';
import { Count, Instant, ListOf, Nested, Text } from '../schema/fields.js';

export class AnalyticsWindow {
  @Instant() from: Date;
  @Instant() to: Date;
}

/** `from` ≤ `to`. The gateway resolves bare dates to whole UTC days and applies the default of 30 days. */
export class TimeseriesQuery {
  @Instant() from: Date;
  @Instant() to: Date;
}

export class TimeseriesDay {
  @Text(10, 10) date: string;
  @Count() emails: number;
  @Count() delivered: number;
  @Count() opens: number;
  @Count() clicks: number;
  @Count() bounces: number;
}

/** One entry per UTC day of the range; days without events are zero. */
export class Timeseries {
  @ListOf(() => TimeseriesDay, 0, 91) data: TimeseriesDay[];
  @Nested(() => AnalyticsWindow) window: AnalyticsWindow;
}

export const analytics = {
  timeseries: query('analytics.reports.timeseries', TimeseriesQuery, Timeseries),
};
