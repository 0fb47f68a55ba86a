import { Controller } from '@nestjs/common';
import { campaigns, type Campaign, type ResendCampaignById } from '@posthorn/contracts';
import { Handles, type Incoming } from '@posthorn/messaging';
import { ResendsService } from './resends.service.js';

@Controller()
export class ResendsHandlers {
  constructor(private readonly service: ResendsService) {}

  @Handles(campaigns.resend)
  resend(call: Incoming<ResendCampaignById>): Promise<Campaign> {
    return this.service.resend(call);
  }
}
