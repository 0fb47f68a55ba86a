import { Module } from '@nestjs/common';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { RecipientsModule } from '../recipients/recipients.module.js';
import { ArchivesService } from './archives.service.js';

@Module({
  imports: [CampaignsModule, RecipientsModule],
  providers: [ArchivesService],
})
export class ArchivesModule {}
