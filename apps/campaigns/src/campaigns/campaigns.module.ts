import { Module } from '@nestjs/common';
import { IdempotencyKeys, onDatabase } from '@posthorn/database';
import { RecipientsModule } from '../recipients/recipients.module.js';
import { CampaignsHandlers } from './campaigns.handlers.js';
import { CampaignsRepository } from './campaigns.repository.js';
import { CampaignsService } from './campaigns.service.js';
import { CampaignViews } from './campaign-views.js';
import { Senders } from './senders.js';

@Module({
  imports: [RecipientsModule],
  controllers: [CampaignsHandlers],
  providers: [
    ...onDatabase([CampaignsRepository, IdempotencyKeys]),
    CampaignsService,
    CampaignViews,
    Senders,
  ],
  exports: [CampaignsRepository, CampaignViews, IdempotencyKeys],
})
export class CampaignsModule {}
