import { Module } from '@nestjs/common';
import { AudiencesModule } from '../audiences/audiences.module.js';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { DryRunsHandlers } from './dry-runs.handlers.js';
import { DryRunsService } from './dry-runs.service.js';

@Module({
  imports: [AudiencesModule, CampaignsModule],
  controllers: [DryRunsHandlers],
  providers: [DryRunsService],
})
export class DryRunsModule {}
