import { Controller } from '@nestjs/common';
import {
  campaignAnalytics,
  type CampaignOverview,
  type GetTopCampaigns,
  type TimeseriesQuery,
  type TopCampaigns,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { CampaignReports } from './campaign-reports.read-model.js';

const defaultTop = 10;

@Controller()
export class CampaignReportsHandlers {
  constructor(private readonly reports: CampaignReports) {}

  @Handles(campaignAnalytics.overview)
  async overview({ caller, body: window }: Incoming<TimeseriesQuery>): Promise<CampaignOverview> {
    return { ...(await this.reports.overview(caller.projectId, window)), window };
  }

  @Handles(campaignAnalytics.top)
  async top({
    caller,
    body: { limit = defaultTop, ...window },
  }: Incoming<GetTopCampaigns>): Promise<TopCampaigns> {
    return { data: await this.reports.top(caller.projectId, window, limit), window };
  }
}
