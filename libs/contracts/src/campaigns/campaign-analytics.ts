import { query } from '../schema/contract.js';
import { AnalyticsWindow, TimeseriesQuery } from '../analytics/analytics.js';
import { Count, Id, ListOf, Nested, Numeric, Optional, Text } from '../schema/fields.js';
import { JoinFields } from '../schema/shapes.js';

export const maxTopCampaigns = 50;

/** Rates are percentages with one decimal. */
export class CampaignOverview {
  /** Created in the window. */
  @Count() total: number;
  /** Of those, in DRAFT or SCHEDULED. */
  @Count() active: number;
  /** Sent completely in the window. */
  @Count() completed: number;
  /** Of the completed ones, each counting the same. */
  @Numeric() averageOpenRate: number;
  @Numeric() averageClickRate: number;
  @Nested(() => AnalyticsWindow) window: AnalyticsWindow;
}

export class TopCampaign {
  @Id() id: string;
  @Text(0, 998) subject: string;
  @Count() sent: number;
  @Count() opened: number;
  @Count() clicked: number;
  @Numeric() openRate: number;
  @Numeric() clickRate: number;
}

class TopLimit {
  /** 10 by default. */
  @Count({ min: 1, max: maxTopCampaigns }) @Optional() limit?: number;
}

export class GetTopCampaigns extends JoinFields(TimeseriesQuery, TopLimit) {}

/** Campaigns sent in the window, ranked by open rate. */
export class TopCampaigns {
  @ListOf(() => TopCampaign, 0, maxTopCampaigns) data: TopCampaign[];
  @Nested(() => AnalyticsWindow) window: AnalyticsWindow;
}

export const campaignAnalytics = {
  overview: query('campaigns.reports.overview', TimeseriesQuery, CampaignOverview),
  top: query('campaigns.reports.top', GetTopCampaigns, TopCampaigns),
};
