import { Module } from '@nestjs/common';
import { IdempotencyKeys, onDatabase } from '@posthorn/database';
import { RecipientsModule } from '../recipients/recipients.module.js';
import { CampaignsRepository } from './campaigns.repository.js';
import { CampaignsService } from './campaigns.service.js';
import { CampaignViews } from './campaign-views.js';
import { References } from './references.js';

@Module({
  imports: [RecipientsModule],
  providers: [
    ...onDatabase([CampaignsRepository, IdempotencyKeys]),
    CampaignsService,
    CampaignViews,
    References,
  ],
  exports: [CampaignsRepository, CampaignViews, IdempotencyKeys],
})
export class CampaignsModule {}
