import { Module } from '@nestjs/common';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { RecipientsModule } from '../recipients/recipients.module.js';
import { ResendsService } from './resends.service.js';

@Module({
  imports: [CampaignsModule, RecipientsModule],
  providers: [ResendsService],
})
export class ResendsModule {}
