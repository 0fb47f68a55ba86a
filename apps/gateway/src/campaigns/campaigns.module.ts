import { Module } from '@nestjs/common';
import { CampaignRecipientsController } from './campaign-recipients.controller.js';
import { CampaignsController } from './campaigns.controller.js';

@Module({
  controllers: [CampaignsController, CampaignRecipientsController],
})
export class CampaignsModule {}
