import { Module } from '@nestjs/common';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { DryRunsHandlers } from './dry-runs.handlers.js';
import { DryRunsService } from './dry-runs.service.js';

@Module({
  imports: [CampaignsModule],
  controllers: [DryRunsHandlers],
  providers: [DryRunsService],
})
export class DryRunsModule {}
