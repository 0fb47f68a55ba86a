import { Module } from '@nestjs/common';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { RecipientsModule } from '../recipients/recipients.module.js';
import { ErasuresHandlers } from './erasures.handlers.js';
import { ErasuresService } from './erasures.service.js';

@Module({
  imports: [CampaignsModule, RecipientsModule],
  controllers: [ErasuresHandlers],
  providers: [ErasuresService],
})
export class ErasuresModule {}
