import { Module } from '@nestjs/common';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { RecipientsModule } from '../recipients/recipients.module.js';
import { ResendsHandlers } from './resends.handlers.js';
import { ResendsService } from './resends.service.js';

@Module({
  imports: [CampaignsModule, RecipientsModule],
  controllers: [ResendsHandlers],
  providers: [ResendsService],
})
export class ResendsModule {}
