import { Controller } from '@nestjs/common';
import {
  analytics,
  campaignAnalytics,
  CampaignOverview,
  Timeseries,
  TopCampaigns,
} from '@posthorn/contracts';
import { DatabaseClock } from '@posthorn/database';
import { Bus } from '@posthorn/messaging';
import type { RouteRequest } from '../routes/route-request.js';
import { Get } from '../routes/route.js';
import { ReportWindow, TopWindow, windowOf } from './window.js';

@Controller()
export class AnalyticsController {
  constructor(
    private readonly bus: Bus,
    private readonly clock: DatabaseClock,
  ) {}

  @Get('analytics/timeseries', {
    summary: 'Count e-mails and engagement per UTC day',
    scope: 'analytics:read',
    query: ReportWindow,
    legacyQueryNames: { from: 'startDate', to: 'endDate' },
    reply: Timeseries,
  })
  async timeseries({ caller, query }: RouteRequest<object, ReportWindow>): Promise<Timeseries> {
    return this.bus.call(analytics.timeseries, caller, windowOf(query, await this.clock.now()));
  }

  @Get('analytics/campaigns', {
    summary: 'Count campaigns, and average how their recipients engaged',
    scope: 'analytics:read',
    query: ReportWindow,
    legacyQueryNames: { from: 'startDate', to: 'endDate' },
    reply: CampaignOverview,
  })
  async campaigns({ caller, query }: RouteRequest<object, ReportWindow>): Promise<CampaignOverview> {
    return this.bus.call(campaignAnalytics.overview, caller, windowOf(query, await this.clock.now()));
  }

  @Get('analytics/top-campaigns', {
    summary: 'Rank sent campaigns by open rate',
    scope: 'analytics:read',
    query: TopWindow,
    legacyQueryNames: { from: 'startDate', to: 'endDate' },
    reply: TopCampaigns,
  })
  async topCampaigns({ caller, query }: RouteRequest<object, TopWindow>): Promise<TopCampaigns> {
    const { limit, ...range } = query;
    const window = windowOf(range, await this.clock.now());
    return this.bus.call(campaignAnalytics.top, caller, {
      ...window,
      ...(limit === undefined ? {} : { limit }),
    });
  }
}
