import { Module } from '@nestjs/common';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { RecipientsModule } from '../recipients/recipients.module.js';
import { WinnersService } from './winners.service.js';
import { WinnersWork } from './winners.work.js';

@Module({
  imports: [CampaignsModule, RecipientsModule],
  providers: [WinnersService, WinnersWork],
})
export class VariantsModule {}
