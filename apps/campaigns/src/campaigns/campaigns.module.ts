import { Module } from '@nestjs/common';
import { IdempotencyKeys, onDatabase } from '@posthorn/database';
import { AudiencePages } from '../audiences/audience-pages.js';
import { Unopened } from '../audiences/unopened.read-model.js';
import { RecipientsModule } from '../recipients/recipients.module.js';
import { RecipientTimes } from '../timing/recipient-times.js';
import { CampaignsRepository } from './campaigns.repository.js';
import { CampaignsService } from './campaigns.service.js';
import { CampaignViews } from './campaign-views.js';
import { References } from './references.js';

@Module({
  imports: [RecipientsModule],
  providers: [
    ...onDatabase([CampaignsRepository, IdempotencyKeys, Unopened]),
    AudiencePages,
    CampaignsService,
    CampaignViews,
    RecipientTimes,
    References,
  ],
  exports: [AudiencePages, CampaignsRepository, CampaignViews, IdempotencyKeys, Unopened],
})
export class CampaignsModule {}
