import { Module } from '@nestjs/common';
import { onDatabase } from '@posthorn/database';
import { CampaignsRepository } from '../campaigns/campaigns.repository.js';
import { LaunchesRepository } from '../launching/launches.repository.js';
import { VariantCounts, CampaignCounts, RecipientPages } from './recipients.read-model.js';
import { VariantReports, RecipientsService } from './recipients.service.js';
import { RecipientsRepository } from './recipients.repository.js';

@Module({
  providers: [
    ...onDatabase([
      CampaignsRepository,
      CampaignCounts,
      LaunchesRepository,
      RecipientPages,
      RecipientsRepository,
      VariantCounts,
    ]),
    RecipientsService,
    VariantReports,
  ],
  exports: [CampaignCounts, VariantCounts, LaunchesRepository, RecipientsRepository],
})
export class RecipientsModule {}
