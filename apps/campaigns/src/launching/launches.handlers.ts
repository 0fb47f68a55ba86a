import { Controller } from '@nestjs/common';
import {
  campaigns,
  type Campaign,
  type CampaignId,
  type RetriedCampaign,
  type RetryFailedById,
  type SendCampaignOnce,
} from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { CampaignViews } from '../campaigns/campaign-views.js';
import { LaunchesService } from './launches.service.js';
import { RetriesService } from './retries.service.js';
import { TransitionsService } from './transitions.service.js';

@Controller()
export class LaunchesHandlers {
  constructor(
    private readonly launches: LaunchesService,
    private readonly transitions: TransitionsService,
    private readonly retries: RetriesService,
    private readonly views: CampaignViews,
  ) {}

  @Handles(campaigns.send)
  send(call: Incoming<SendCampaignOnce>): Promise<Campaign> {
    return this.launches.send(call);
  }

  @Handles(campaigns.pause)
  async pause(call: Incoming<CampaignId>): Promise<Campaign> {
    return this.views.one(await this.transitions.pause(call));
  }

  @Handles(campaigns.resume)
  async resume(call: Incoming<CampaignId>): Promise<Campaign> {
    return this.views.one(await this.transitions.resume(call));
  }

  @Handles(campaigns.cancel)
  async cancel(call: Incoming<CampaignId>): Promise<Campaign> {
    return this.views.one(await this.transitions.cancel(call));
  }

  @Handles(campaigns.retryFailed)
  retryFailed(call: Incoming<RetryFailedById>): Promise<RetriedCampaign> {
    return this.retries.retryFailed(call);
  }
}
