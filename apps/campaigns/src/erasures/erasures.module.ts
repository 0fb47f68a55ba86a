import { Module } from '@nestjs/common';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { RecipientsModule } from '../recipients/recipients.module.js';
import { ErasuresService } from './erasures.service.js';

@Module({
  imports: [CampaignsModule, RecipientsModule],
  providers: [ErasuresService],
})
export class ErasuresModule {}
